import Support
import Testing

@testable import EventTransport

@Suite("A connection through a parent proxy")
final class ParentProxyTests {
    private let loop: EventLoop
    private let connector: Connector

    init() throws {
        loop = try EventLoop()
        connector = Connector(loop: loop)
    }

    deinit { loop.finish() }

    @Test("is a tunnel behind the proxy's 200, and loses nothing that follows it at once")
    func opened() throws {
        let parent = try ScriptedServer { connection in
            _ = try connection.head()
            try connection.send("HTTP/1.1 200 OK\r\nVia: x\r\n\r\nhello")
            try connection.send(connection.receive(exactly: 4))
            _ = connection.receiveUntilEnd()
        }
        defer { parent.stop() }
        let connection = try connect(through: parent.port, "Proxy-Authorization: Basic canary\r\n").get()
        let recorder = connection.record()
        connection.write("echo")
        loop.runUntil { recorder.text.utf8.count == 9 }
        #expect(recorder.text == "helloecho")
        connection.close()
        let head = try #require(parent.heads.first)
        #expect(head.method == "CONNECT" && head.target == "backend.test:8443")
        #expect(head.fields["Host"] == "backend.test:8443")
        #expect(head.fields.all("Proxy-Authorization") == ["Basic canary"])
    }

    @Test("is TLS with the target, whose name the certificate must have")
    func secure() throws {
        let server = TLSTestServer(identity: TestCertificates.shared.good) { $0.write($0.read(atMost: 100)) }
        let parent = try ScriptedServer.tunnels(toPort: server.port)
        defer { parent.stop() }
        let tls = try TLSContext(caFile: TestCertificates.shared.caFile)
        let outcome = Outcome()
        connector.connect(to: target("localhost", parent.port, tls: tls), timeout: .seconds(10), outcome.set)
        let connection = try outcome.wait(loop).get()
        let recorder = connection.record()
        connection.write("echo")
        loop.runUntil { recorder.hasEnded }
        #expect(recorder.text == "echo")
        connection.close()
        let other = Outcome()
        connector.connect(to: target("other.test", parent.port, tls: tls), timeout: .seconds(10), other.set)
        #expect(other.wait(loop).failure?.kind == .tlsVerification)
        #expect(parent.heads.map(\.target) == ["localhost:8443", "other.test:8443"])
    }

    private static let refusals: [(answer: String, credentials: String, words: String)] = [
        (
            "HTTP/1.1 407 No\r\n\r\n", "",
            "demands a user name and password (407) for CONNECT backend.test:8443; set the proxy's username and password"
        ),
        ("HTTP/1.1 407 No\r\n\r\n", "Proxy-Authorization: Basic canary\r\n", "refused the user name or password (407)"),
        ("HTTP/1.1 403 No\r\n\r\n", "", "refused CONNECT backend.test:8443 with 403; allow it there"),
        (
            "HTTP/1.1 502 No\r\n\r\n", "",
            "answered CONNECT backend.test:8443 with 502, so it could not reach that server"
        ),
        ("", "", "closed the connection without an answer to CONNECT backend.test:8443"),
        ("HTTP/1.1 20", "", "closed the connection without an answer"),
        ("220 ready\r\n", "", "did not answer CONNECT backend.test:8443 with HTTP/1.1"),
    ]

    @Test("fails with a message that names the proxy and what it answered", arguments: refusals)
    func refused(_ answer: String, _ credentials: String, _ words: String) throws {
        let parent = try ScriptedServer { connection in
            _ = try connection.head()
            try connection.send(answer)
        }
        defer { parent.stop() }
        let error = try #require(connect(through: parent.port, credentials).failure)
        #expect(error.kind == .parentRefused)
        #expect(error.message.hasPrefix("the parent proxy 127.0.0.1:\(parent.port) "), "\(error.message)")
        #expect(error.message.contains(words), "\(error.message)")
        #expect(!error.message.contains("canary"))
    }

    @Test("tells the proxy the name of this process, and says so if the way leads back to it")
    func circle() throws {
        let parent = try ScriptedServer { connection in
            _ = try connection.head()
            try connection.send("HTTP/1.1 508 Loop Detected\r\n\r\n")
        }
        defer { parent.stop() }
        let own = OwnIdentity(via: Array("Via: 1.1 attache-1\r\n".utf8))
        let outcome = Outcome()
        Connector(loop: loop, avoiding: own).connect(
            to: target("backend.test", parent.port), timeout: .seconds(10), outcome.set)
        let error = try #require(outcome.wait(loop).failure)
        #expect(error.kind == .ownListener)
        let words = "leads back to an attache (508 for CONNECT backend.test:8443)"
        #expect(error.message.contains(words), "\(error.message)")
        #expect(parent.heads.first?.fields.all("Via") == ["1.1 attache-1"])
    }

    @Test("fails with the proxy's name if the proxy cannot be reached or does not answer")
    func unreachable() throws {
        let closed = try ClosedPort()
        let refused = try #require(connect(through: closed.number).failure)
        #expect(refused.kind == .refused && refused.concernsParent)
        #expect(refused.message.hasPrefix("cannot connect to the parent proxy 127.0.0.1:\(closed.number): "))
        let silent = try ScriptedServer { _ = $0.receiveUntilEnd() }
        defer { silent.stop() }
        let late = try #require(connect(through: silent.port, timeout: .milliseconds(50)).failure)
        #expect(late.kind == .timedOut && late.concernsParent)
        #expect(late.message.contains("127.0.0.1:\(silent.port) did not answer CONNECT backend.test:8443 within"))
        let outcome = Outcome()
        let parent = Connector.Parent(host: "a..b", port: 1, opensTunnel: true)
        connector.connect(to: .init(host: "x.test", port: 1, parent: parent), timeout: .seconds(10), outcome.set)
        let unknown = try #require(outcome.wait(loop).failure)
        #expect(unknown.kind == .resolution && unknown.concernsParent)
        #expect(unknown.message.hasPrefix("the parent proxy a..b:1: "))
    }

    @Test(
        "refuses a forbidden address that is the target itself, but checks no name and not the proxy's own address",
        arguments: [
            ("169.254.169.254", .metadata, .forbiddenAddress), ("10.0.0.1", .nonPublic, .forbiddenAddress),
            ("8.8.8.8", .nonPublic, .parentRefused), ("x.test", .nonPublic, .parentRefused),
        ] as [(String, AddressGuard.Refused, TransportError.Kind)])
    func forbidden(_ host: String, _ refused: AddressGuard.Refused, _ kind: TransportError.Kind) throws {
        let parent = try ScriptedServer { _ = try $0.head() }
        defer { parent.stop() }
        let outcome = Outcome()
        var target = target(host, parent.port)
        target.addresses = AddressGuard(refused)
        connector.connect(to: target, timeout: .seconds(10), outcome.set)
        #expect(outcome.wait(loop).failure?.kind == kind)
        #expect(parent.heads.map(\.target) == (kind == .parentRefused ? ["\(host):8443"] : []))
    }

    @Test("is closed and reports nothing when it is cancelled")
    func cancelled() throws {
        let loop = loop
        let parent = try ScriptedServer { connection in
            _ = try connection.head()
            // Wakes the loop, so that it looks at the condition.
            loop.execute {}
            _ = connection.receiveUntilEnd()
        }
        defer { parent.stop() }
        let outcome = Outcome()
        let attempt = connector.connect(to: target("x.test", parent.port), timeout: .seconds(60), outcome.set)
        loop.runUntil { parent.heads.count == 1 }
        attempt.cancel()
        try parent.waitUntilAllClosed()
        #expect(outcome.result == nil)
    }

    @Test("shows no credentials in a description or reflection")
    func secrecy() {
        let parent = Connector.Parent(
            host: "::1", port: 3128, opensTunnel: true, authorization: Array("canary".utf8))
        var dumped = ""
        dump(parent, to: &dumped)
        #expect("\(parent)" == "the parent proxy [::1]:3128")
        for text in ["\(parent)", String(reflecting: parent), dumped] {
            #expect(!text.contains("canary") && !text.contains("99, 97"))
        }
    }

    private func target(_ host: String, _ port: UInt16, tls: TLSContext? = nil) -> Connector.Target {
        Connector.Target(
            host: host, port: 8443, tls: tls,
            parent: Connector.Parent(host: "127.0.0.1", port: port, opensTunnel: true))
    }

    private func connect(
        through port: UInt16, _ authorization: String = "", timeout: Duration = .seconds(10)
    ) -> Result<StreamConnection, TransportError> {
        let outcome = Outcome()
        var target = target("backend.test", port)
        target.parent?.authorization = Array(authorization.utf8)
        connector.connect(to: target, timeout: timeout, outcome.set)
        return outcome.wait(loop)
    }
}
