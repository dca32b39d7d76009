import Glibc
import Support
import Testing

@testable import EventTransport

/// Which address the next connection tries first, after one that failed behind its TCP connection.
@Suite("An address that failed")
final class AvoidedAddressTests {
    private static let (one, two) = (IPAddress.loopbackV4, IPAddress(literal: "127.0.0.2") ?? .loopbackV6)

    private let loop: EventLoop
    private let connector: Connector
    private var accepted: [IPAddress] = []

    init() throws {
        loop = try EventLoop()
        var overrides = AddressOverrides()
        for name in ["a.test", "b.test"] { overrides.add(name, port: nil, [Self.one, Self.two]) }
        connector = Connector(loop: loop, overrides: overrides)
    }

    deinit { loop.finish() }

    /// Two listeners on one port, each with an address of its own, that answer what arrives with `answer` and close.
    private func listen(_ answer: String) throws -> (UInt16, [Listener]) {
        let first = try listener(Self.one, 0, answer)
        return (first.tcp.port, [first, try listener(Self.two, first.tcp.port, answer)])
    }

    private func listener(_ ip: IPAddress, _ port: UInt16, _ answer: String) throws -> Listener {
        try Listener(loop: loop, address: SocketAddress(ip, port: port), reusePort: false) {
            [unowned self, loop] in
            accepted.append(ip)
            let connection = StreamConnection($0, loop: loop)
            // Unread bytes would make the close a reset.
            connection.record().whenReceived = { [unowned connection] _ in
                connection.write(answer)
                connection.close()
            }
        }
    }

    private func connect(_ target: Connector.Target) -> TransportError? {
        let outcome = Outcome()
        connector.connect(to: target, timeout: .seconds(60), outcome.set)
        return outcome.wait(loop).failure
    }

    @Test(
        "is tried last if it is a parent proxy's that answers CONNECT with an error of its own",
        arguments: [
            ("", [one, two]), ("HTTP/1.1 503 No\r\n\r\n", [one, two]), ("HTTP/1.1 502 No\r\n\r\n", [one, two]),
            ("220 ready\r\n", [one, two]), ("HTTP/1.1 403 No\r\n\r\n", [one, one]),
            ("HTTP/1.1 407 No\r\n\r\n", [one, one]), ("HTTP/1.1 508 No\r\n\r\n", [one, one]),
        ])
    func parent(_ answer: String, _ order: [IPAddress]) throws {
        let (port, listeners) = try listen(answer)
        for _ in 0..<2 {
            let parent = Connector.Parent(host: "a.test", port: port, opensTunnel: true)
            #expect(connect(.init(host: "c.test", port: 443, parent: parent)) != nil)
        }
        #expect(accepted == order)
        withExtendedLifetime(listeners) {}
    }

    @Test("for a name that an app chose is tried first for a name of the configuration", arguments: [false, true])
    func chosen(_ isParent: Bool) throws {
        let (port, listeners) = try listen("")
        let tls = try TLSContext(caFile: TestCertificates.shared.caFile)
        let parent = isParent ? Connector.Parent(host: "a.test", port: port, opensTunnel: true) : nil
        for (name, isChosenByApp) in [("b.test", true), ("a.test", false), ("b.test", true)] {
            let target = Connector.Target(
                host: name, port: port, tls: tls, isChosenByApp: isChosenByApp, parent: parent)
            #expect(connect(target) != nil)
        }
        #expect(accepted == [Self.one, Self.one, Self.two])
        withExtendedLifetime(listeners) {}
    }

    @Test("stands once in the error of a timeout")
    func timeout() throws {
        let hung = try HungPort()
        for parent in [nil, Connector.Parent(host: "127.0.0.1", port: hung.number, opensTunnel: true)] {
            let outcome = Outcome()
            let host = parent == nil ? "127.0.0.1" : "c.test"
            connector.connect(
                to: .init(host: host, port: hung.number, parent: parent), timeout: .seconds(60), outcome.set)
            loop.adopt()
            loop.advance(by: .seconds(60))
            let name = parent == nil ? "" : "the parent proxy "
            let message = outcome.wait(loop).failure?.message
            #expect(
                message == "\(name)127.0.0.1:\(hung.number) did not accept a connection within 60.0 seconds")
        }
    }
}
