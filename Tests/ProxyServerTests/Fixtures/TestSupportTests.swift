import Glibc
import Support
import Testing

/// The two ends of the integration tests, joined without a proxy between them.
@Suite("The test support itself")
struct TestSupportTests {
    @Test("A raw client and a scripted server understand each other in every framing")
    func framings() throws {
        let answers = [
            Scripts.response("hello"),
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhe\r\n3;x\r\nllo\r\n0\r\nT: t\r\n\r\n",
            "HTTP/1.0 200 OK\r\n\r\nhello",
        ]
        for answer in answers {
            let server = try ScriptedServer(Scripts.once(answer))
            defer { server.stop() }
            let client = try RawClient(port: server.port)
            let response = try client.exchange(
                "POST /x HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n")
            #expect(response.text == "hello")
            #expect(String(decoding: response.raw, as: UTF8.self) == answer)
            #expect(try client.endsNow())
            #expect(server.requests.map(\.text) == ["abc"])
            try server.waitUntilAllClosed()
        }
    }

    @Test("A token endpoint answers from its queue, then with its default, each time with a new canary")
    func tokenEndpoint() throws {
        let gate = Gate()
        let endpoint = try FakeTokenEndpoint([.status(500, "{}"), .held(gate, .token(expiresIn: "7"))])
        defer { endpoint.stop() }
        let client = try RawClient(port: endpoint.port)
        let request = "POST /token HTTP/1.1\r\nContent-Length: 2\r\n\r\nab"
        #expect(try client.exchange(request).status == 500)
        try client.send(request)
        try endpoint.waitForRequests(2)
        gate.open()
        #expect(try JSON(client.response().text)["expires_in"] == .number(7))
        #expect(try JSON(client.exchange(request).text)["access_token"]?.string == endpoint.tokens.last)
        #expect(Set(endpoint.tokens).count == 2)
        #expect(endpoint.requests.map(\.text) == ["ab", "ab", "ab"])
    }

    @Test("A joined thread has released its objects")
    func threadEnd() throws {
        let released = Monitor(false)
        let thread = {
            let held = SlowToRelease(released)
            return BackgroundThread("that holds something") { withExtendedLifetime(held) {} }
        }()
        try thread.join()
        #expect(released.access { $0 })
    }

    @Test("A reset, a refusal and a cut differ from a clean end")
    func failures() throws {
        let server = try ScriptedServer { connection in
            let request = try connection.request()
            if request?.target == "/reset" {
                connection.reset()
            } else {
                try connection.send("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nx")
            }
        }
        defer { server.stop() }
        let first = try RawClient(port: server.port)
        #expect(throws: SocketError.reset) { try first.get("/reset") }
        let second = try RawClient(port: server.port)
        #expect(throws: MessageReader.CutShort.self) { try second.get("/cut") }
        let port = try ClosedPort()
        defer { port.release() }
        #expect(throws: SocketError.refused) { try RawClient(port: port.number) }
    }

    @Test("A child process is started, signalled and watched")
    func childProcess() throws {
        let directory = try TemporaryDirectory()
        defer { directory.remove() }
        let echo = try ChildProcess(
            "/bin/sh", ["-c", "echo out $NAME; echo err >&2; exit 3"], environment: ["NAME": "n"], in: directory)
        #expect(try echo.waitForEnd() == .exited(3))
        #expect(echo.output == "out n\n")
        #expect(echo.errors == "err\n")
        let sleeper = try ChildProcess("/bin/sleep", ["600"], in: directory)
        #expect(sleeper.descriptors.count >= 3)
        sleeper.signal(15)
        #expect(try sleeper.waitForEnd() == .killed(signal: 15))
    }
}

private final class SlowToRelease: Sendable {
    private let released: Monitor<Bool>

    init(_ released: Monitor<Bool>) {
        self.released = released
    }

    deinit {
        usleep(50_000)
        released.access { $0 = true }
    }
}
