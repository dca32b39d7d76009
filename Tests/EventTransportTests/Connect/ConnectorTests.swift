import Glibc
import Support
import Testing

@testable import EventTransport

@Suite("A connector")
final class ConnectorTests {
    private let loop: EventLoop
    private let connector: Connector

    init() throws {
        loop = try EventLoop()
        connector = Connector(loop: loop)
    }

    deinit { loop.finish() }

    @Test("connects to an address, in a later callback", arguments: [IPAddress.loopbackV4, .loopbackV6])
    func address(ip: IPAddress) throws {
        let listener = try Listener(loop: loop, address: SocketAddress(ip, port: 0), reusePort: false) { _ in }
        let outcome = Outcome()
        connector.connect(
            to: .init(host: ip.description, port: listener.tcp.port), timeout: .seconds(10), outcome.set)
        #expect(outcome.result == nil)
        let connection = try outcome.wait(loop).get()
        #expect(connection.peer == listener.tcp)
        let control = congestionControl(of: connection.wire.descriptor)
        #expect(control == "reno", "a connection over loopback is not paced, whatever the system's default is")
        connection.close()
    }

    @Test("exchanges bytes over its connection")
    func echo() throws {
        let server = TLSTestServer(identity: nil) { stream in
            stream.write(stream.read(atMost: 100))
        }
        let outcome = Outcome()
        connector.connect(to: .init(host: "127.0.0.1", port: server.port), timeout: .seconds(10), outcome.set)
        let connection = try outcome.wait(loop).get()
        let recorder = connection.record()
        connection.write("echo")
        loop.runUntil { recorder.hasEnded }
        #expect(recorder.text == "echo")
        connection.close()
    }

    @Test("receives a connection made at the moment when another one failed, over the same descriptor")
    func nextAfterFailure() throws {
        let babbler = try ListeningSocket()
        let listener = try Listener(loop: loop, address: .loopback(), reusePort: false) { _ in }
        let next = Outcome()
        let tls = try TLSContext(caFile: TestCertificates.shared.caFile)
        connector.connect(
            to: .init(host: "127.0.0.1", port: babbler.port, tls: tls), timeout: .seconds(10)
        ) { [connector] _ in
            connector.connect(
                to: .init(host: "127.0.0.1", port: listener.tcp.port), timeout: .seconds(10), next.set)
        }
        // It is there when the loop hears that the socket has connected, so that TLS fails in the same callback.
        let accepted = try #require(babbler.accept())
        try accepted.send(Array("220 ready\r\n".utf8))
        try next.wait(loop).get().close()
        accepted.close()
    }

    @Test("tries every address of a name: localhost is ::1 and 127.0.0.1", arguments: ["localhost", "LocalHost."])
    func allAddresses(name: String) throws {
        let listener = try Listener(loop: loop, address: .loopback(), reusePort: false) { _ in }
        let outcome = Outcome()
        connector.connect(to: .init(host: name, port: listener.tcp.port), timeout: .seconds(10), outcome.set)
        #expect(try outcome.wait(loop).get().peer?.ip == .loopbackV4)
    }

    @Test("prefers IPv6 if both kinds of address answer")
    func prefersIPv6() throws {
        let first = try Listener(loop: loop, address: .loopback(), reusePort: false) { _ in }
        let second = try Listener(
            loop: loop, address: SocketAddress(.loopbackV6, port: first.tcp.port), reusePort: false
        ) { _ in }
        let outcome = Outcome()
        connector.connect(to: .init(host: "localhost", port: first.tcp.port), timeout: .seconds(10), outcome.set)
        #expect(try outcome.wait(loop).get().peer == second.tcp)
    }

    @Test("reports what each address answered if none accepts", arguments: ["127.0.0.1", "localhost"])
    func refused(host: String) throws {
        let port = try freePort()
        let outcome = Outcome()
        connector.connect(to: .init(host: host, port: port), timeout: .seconds(10), outcome.set)
        #expect(outcome.result == nil)
        let error = try #require(outcome.wait(loop).failure)
        #expect(error.kind == .refused)
        #expect(error.errno == ECONNREFUSED)
        #expect(error.message.hasPrefix("cannot connect to \(host):\(port): "))
        #expect(error.message.contains("127.0.0.1:\(port): Connection refused"))
        #expect(error.message.contains("[::1]:\(port)") == (host == "localhost"))
    }

    @Test("times out if no address answers")
    func timeout() throws {
        // A listener that does not accept, with its queue full, leaves new connections without an answer.
        let listener = try ListeningSocket(backlog: 0)
        var fillers: [Outcome] = []
        for _ in 0..<4 {
            let filler = Outcome()
            fillers.append(filler)
            connector.connect(
                to: .init(host: "127.0.0.1", port: listener.port), timeout: .milliseconds(300), filler.set)
        }
        loop.runUntil { fillers.allSatisfy { $0.result != nil } }
        let errors = fillers.compactMap { $0.result?.failure }
        let error = try #require(errors.first)
        #expect(error.kind == .timedOut)
        #expect(error.message.contains("127.0.0.1:\(listener.port) did not accept a connection"))
    }

    @Test("includes the TLS handshake in its timeout")
    func handshakeTimeout() throws {
        let server = TLSTestServer(identity: nil) { _ = $0.read(until: "never") }
        let outcome = Outcome()
        let tls = try TLSContext(caFile: TestCertificates.shared.caFile)
        connector.connect(
            to: .init(host: "127.0.0.1", port: server.port, tls: tls), timeout: .milliseconds(100), outcome.set)
        let error = try #require(outcome.wait(loop).failure)
        #expect(error.kind == .timedOut)
        #expect(error.message.contains("did not finish the TLS handshake"))
    }

    @Test("calls nothing once it is cancelled")
    func cancel() throws {
        let listener = try Listener(loop: loop, address: .loopback(), reusePort: false) { _ in }
        let outcome = Outcome()
        let attempt = connector.connect(
            to: .init(host: "127.0.0.1", port: listener.tcp.port), timeout: .milliseconds(10), outcome.set)
        let failing = connector.connect(
            to: .init(host: "127.0.0.1", port: try freePort()), timeout: .milliseconds(10), outcome.set)
        attempt.cancel()
        attempt.cancel()
        failing.cancel()
        var isOver = false
        let timer = Timer(loop: loop) { isOver = true }
        timer.schedule(after: .milliseconds(30))
        loop.runUntil { isOver }
        #expect(outcome.result == nil)
    }

    @Test(
        "refuses link-local addresses if the target says so",
        arguments: ["169.254.169.254", "::ffff:169.254.169.254", "fe80::1", "fd00:ec2::254"])
    func linkLocal(host: String) throws {
        let outcome = Outcome()
        connector.connect(
            to: .init(host: host, port: 80, addresses: AddressGuard(.metadata)), timeout: .seconds(10), outcome.set)
        #expect(outcome.result == nil)
        let error = try #require(outcome.wait(loop).failure)
        #expect(error.kind == .forbiddenAddress)
    }

    @Test("does not take its own socket for a server")
    func selfConnect() throws {
        // The kernel may give a connecting socket the very port that it connects to; the race looks for that.
        let outcome = Outcome()
        connector.connect(to: .init(host: "127.0.0.1", port: try freePort()), timeout: .seconds(5), outcome.set)
        #expect(outcome.wait(loop).failure?.kind == .refused)
    }

    @Test("closes a connection that its caller does not take")
    func unclaimed() throws {
        var accepted: StreamConnection?
        let listener = try Listener(loop: loop, address: .loopback(), reusePort: false) { [loop] socket in
            accepted = StreamConnection(socket, loop: loop)
        }
        var isDone = false
        connector.connect(to: .init(host: "127.0.0.1", port: listener.tcp.port), timeout: .seconds(10)) { _ in
            isDone = true
        }
        loop.runUntil { isDone && accepted != nil }
        let recorder = try #require(accepted).record()
        loop.runUntil { recorder.hasEnded }
        accepted?.close()
    }

    private func freePort() throws -> UInt16 {
        try Listener(loop: loop, address: .loopback(), reusePort: false) { _ in }.tcp.port
    }
}

/// Where a connector's answer lands.
final class Outcome {
    private(set) var result: Result<StreamConnection, TransportError>?

    func set(_ result: Result<StreamConnection, TransportError>) {
        precondition(self.result == nil, "an attempt answered twice")
        self.result = result
    }

    func wait(
        _ loop: EventLoop, sourceLocation: SourceLocation = #_sourceLocation
    ) -> Result<StreamConnection, TransportError> {
        loop.runUntil({ result != nil }, sourceLocation: sourceLocation)
        return result ?? .failure(TransportError(.timedOut, "the test gave up"))
    }
}

extension Result {
    var failure: Failure? { if case .failure(let error) = self { error } else { nil } }
}

/// The kernel's congestion control of a TCP socket.
func congestionControl(of descriptor: Int32) -> String {
    var name = [UInt8](repeating: 0, count: 16)
    var length = socklen_t(name.count)
    getsockopt(descriptor, Int32(IPPROTO_TCP), TCP_CONGESTION, &name, &length)
    return String(decoding: name.prefix { $0 != 0 }, as: UTF8.self)
}
