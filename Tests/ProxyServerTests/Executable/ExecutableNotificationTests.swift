import Glibc
import Support
import Testing

@Suite("The program and a service manager")
struct ExecutableNotificationTests {
    @Test("It reports ready once it listens, even without a token, and stopping when it drains")
    func readyAndStopping() throws {
        let directory = try TemporaryDirectory()
        defer { directory.remove() }
        let tokens = try FakeTokenEndpoint(then: .closed)
        defer { tokens.stop() }
        let socket = try NotificationSocket(directory.file("notify"))
        let secret = try directory.write("s", to: "secret")
        let process = try ChildProcess(
            ExecutableUnderTest.path,
            [
                "run", "--listen", "127.0.0.1:0", "--backend", "https://backend.test", "--token-url", tokens.url,
                "--client-id", "c", "--client-secret-file", secret,
            ], environment: ["NOTIFY_SOCKET": directory.file("notify")], in: directory)
        defer { process.kill() }
        let ready = try socket.receive()
        #expect(ready.first == "READY=1")
        #expect(ready.last?.hasPrefix("STATUS=Listening on 127.0.0.1:") == true, "\(ready)")
        process.signal(SIGTERM)
        #expect(try socket.receive() == ["STOPPING=1", "STATUS=Draining: running requests finish"])
        #expect(try process.waitForEnd() == .exited(0), "\(process.errors)")
    }

    @Test("It notifies a watchdog as long as all its loops run")
    func watchdog() throws {
        let directory = try TemporaryDirectory()
        defer { directory.remove() }
        let socket = try NotificationSocket(directory.file("notify"))
        let settings = try directory.write(
            "{ listeners: [{ address: '127.0.0.1:0' }], unmatched: forward, workers: 2 }", to: "attache.yaml")
        let process = try ChildProcess(
            ExecutableUnderTest.path, ["run", "--config", settings],
            environment: ["NOTIFY_SOCKET": directory.file("notify"), "WATCHDOG_USEC": "20000"], in: directory)
        defer { process.kill() }
        #expect(try socket.receive().first == "READY=1")
        for _ in 0..<3 { #expect(try socket.receive() == ["WATCHDOG=1"]) }
    }
}
