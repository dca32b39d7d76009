import Support
import Testing

@testable import EventTransport

@Suite("The listeners of this process")
final class OwnIdentityTests {
    private let loop: EventLoop

    init() throws { loop = try EventLoop() }

    deinit { loop.finish() }

    private static func address(_ host: String, _ port: UInt16) throws -> SocketAddress {
        SocketAddress(try #require(IPAddress(literal: host)), port: port)
    }

    @Test(
        "are known by their address, and by loopback addresses if they listen at all addresses",
        arguments: [
            ("127.0.0.1", "127.0.0.1", true), ("127.0.0.1", "::ffff:127.0.0.1", true), ("127.0.0.1", "0.0.0.0", true),
            ("127.0.0.1", "127.0.0.2", false), ("127.0.0.1", "::1", false), ("127.0.0.1", "10.0.0.1", false),
            ("::1", "::1", true), ("::1", "::", true), ("0.0.0.0", "127.0.0.1", true), ("0.0.0.0", "127.9.9.9", true),
            ("0.0.0.0", "0.0.0.0", true), ("::", "127.0.0.1", true), ("::", "::1", true),
            ("0.0.0.0", "10.0.0.1", false),
            ("10.0.0.1", "10.0.0.1", true), ("10.0.0.1", "0.0.0.0", false),
        ])
    func reached(_ listener: String, _ address: String, _ isOwn: Bool) throws {
        let own = OwnIdentity()
        own.add(try Self.address("192.0.2.1", 1))
        own.add(try Self.address(listener, 3128))
        #expect(own.contains(try Self.address(address, 3128)) == isOwn)
        #expect(own.contains(try Self.address(address, 3129)) == false)
    }

    @Test("are never connected to, by name or by address", arguments: ["127.0.0.1", "localhost", "0.0.0.0"])
    func avoided(_ host: String) throws {
        let own = OwnIdentity()
        let listener = try Listener(loop: loop, address: .loopback(), reusePort: false) { _ in
            Issue.record("a connection arrived")
        }
        own.add(listener.tcp)
        let outcome = Outcome()
        Connector(loop: loop, avoiding: own).connect(
            to: .init(host: host, port: listener.tcp.port, addresses: AddressGuard(.nonPublic)),
            timeout: .seconds(10),
            outcome.set)
        let error = try #require(outcome.wait(loop).failure)
        #expect(error.kind == .ownListener)
        #expect(
            error.message.contains(":\(listener.tcp.port) ") && error.message.contains("listener of this attache"),
            "\(error)")
    }
}
