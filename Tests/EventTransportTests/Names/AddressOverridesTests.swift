import Glibc
import Support
import Testing

@testable import EventTransport

@Suite("The addresses that the configuration gives names")
final class AddressOverridesTests {
    private let loop: EventLoop

    init() throws { loop = try EventLoop() }

    deinit { loop.finish() }

    @Test("are those of the name and port, else of the name, in any case and with a final dot")
    func found() throws {
        let (one, two) = (IPAddress.loopbackV4, IPAddress.loopbackV6)
        var overrides = AddressOverrides()
        #expect(overrides.addresses(of: "a.test", port: 80) == nil)
        overrides.add("a.test", port: nil, [one])
        overrides.add("a.test", port: 443, [two, one])
        overrides.add("B.test", port: 80, [two])
        for name in ["a.test", "A.Test", "a.test."] {
            #expect(overrides.addresses(of: name, port: 80) == [one])
            #expect(overrides.addresses(of: name, port: 443) == [two, one])
        }
        #expect(overrides.addresses(of: "b.test", port: 80) == [two])
        for name in ["b.test:80", "c.test", "x.a.test", ""] {
            #expect(overrides.addresses(of: name, port: 443) == nil)
        }
    }

    @Test("are used without a look at the hosts file or a name server")
    func used() throws {
        let server = try FakeNameServer([:], hosts: "127.0.0.9 backend.test\n")
        let listener = try Listener(loop: loop, address: .loopback(), reusePort: false) { _ in }
        let outcome = Outcome()
        try connector("backend.test", [.loopbackV4], server).connect(
            to: .init(host: "Backend.test", port: listener.tcp.port), timeout: .seconds(10), outcome.set)
        let connection = try outcome.wait(loop).get()
        #expect(connection.peer == listener.tcp)
        #expect(server.questions.isEmpty)
        connection.close()
    }

    @Test("are tried one after the other, and each failure is named")
    func several() throws {
        let server = try FakeNameServer([:])
        let closed = try ClosedPort()
        let port = closed.number
        let outcome = Outcome()
        try connector("backend.test", [.loopbackV6, .loopbackV4], server).connect(
            to: .init(host: "backend.test", port: port), timeout: .seconds(10), outcome.set)
        let error = try #require(outcome.wait(loop).failure)
        #expect(error.message.hasPrefix("cannot connect to backend.test:\(port): [::1]:\(port): "))
        #expect(error.message.contains(", 127.0.0.1:\(port): Connection refused"))
        closed.release()
    }

    @Test("are not refused, because the operator has chosen them")
    func linkLocal() throws {
        let server = try FakeNameServer([:])
        // Without a zone, the system refuses the address before it sends anything.
        let address = try #require(IPAddress(literal: "fe80::1"))
        let outcome = Outcome()
        try connector("backend.test", [address], server).connect(
            to: .init(host: "backend.test", port: 1, addresses: AddressGuard(.nonPublic)), timeout: .seconds(10),
            outcome.set)
        let error = try #require(outcome.wait(loop).failure)
        #expect(error.errno == EINVAL)
    }

    private func connector(_ name: String, _ addresses: [IPAddress], _ server: FakeNameServer) throws -> Connector {
        var overrides = AddressOverrides()
        overrides.add(name, port: nil, addresses)
        return Connector(
            loop: loop, overrides: overrides, resolverConfiguration: server.configurationFile,
            hostsFile: server.hostsFile)
    }
}
