import Glibc
import Support
import Testing

@testable import EventTransport

@Suite("A listener")
final class ListenerTests {
    private let loop: EventLoop

    init() throws { loop = try EventLoop() }

    deinit { loop.finish() }

    @Test("reports its real port, and each client's address", arguments: [IPAddress.loopbackV4, .loopbackV6])
    func accept(ip: IPAddress) throws {
        var peer: SocketAddress?
        var hasNoDelay = false
        var control = ""
        let listener = try Listener(loop: loop, address: SocketAddress(ip, port: 0), reusePort: false) { socket in
            peer = socket.peer
            var value: Int32 = 0
            var length = socklen_t(MemoryLayout<Int32>.size)
            getsockopt(socket.descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &value, &length)
            hasNoDelay = value != 0
            control = congestionControl(of: socket.descriptor)
        }
        #expect(listener.tcp.ip == ip)
        #expect(listener.tcp.port != 0)
        let client = try #require(Client(to: listener.tcp))
        loop.runUntil { peer != nil }
        #expect(peer == client.localAddress)
        #expect(hasNoDelay)
        #expect(control == "reno", "a connection over loopback is not paced, whatever the system's default is")
    }

    @Test("serves a burst of connections")
    func burst() throws {
        var connections: [StreamConnection] = []
        let listener = try Listener(loop: loop, address: .loopback(), reusePort: false) { [loop] socket in
            connections.append(StreamConnection(socket, loop: loop))
        }
        let clients = (0..<150).compactMap { _ in Client(to: listener.tcp) }
        loop.runUntil { connections.count == 150 }
        #expect(clients.count == 150)
        for connection in connections { connection.close() }
    }

    @Test("accepts twice as many in each turn as long as more wait, and then one again")
    func doubling() throws {
        var count = 0
        let listener = try Listener(loop: loop, address: .loopback(), reusePort: false) { _ in count += 1 }
        for _ in 0..<2 {
            count = 0
            let clients = (0..<10).compactMap { _ in Client(to: listener.tcp) }
            let counts = (0..<4).map { _ in
                loop.runTurn()
                return count
            }
            #expect(counts == [1, 3, 7, 10])
            withExtendedLifetime(clients) {}
        }
    }

    @Test("accepts the connections that wait in the kernel, before the loop has seen them")
    func waiting() throws {
        var count = 0
        let listener = try Listener(loop: loop, address: .loopback(), reusePort: false) { _ in count += 1 }
        listener.acceptWaiting()
        #expect(count == 0)
        let clients = (0..<150).compactMap { _ in Client(to: listener.tcp) }
        listener.acceptWaiting()
        #expect(count == 150)
        listener.close()
        listener.acceptWaiting()
        withExtendedLifetime(clients) {}
    }

    @Test("refuses connections once it is closed, also from inside its own closure")
    func close() throws {
        var listener: Listener?
        var count = 0
        listener = try Listener(loop: loop, address: Self.addressOfItsOwn(), reusePort: false) { _ in
            count += 1
            listener?.close()
            listener = nil
        }
        let address = try #require(listener).tcp
        let clients = [Client(to: address), Client(to: address)]
        loop.runUntil { count > 0 }
        #expect(listener == nil)
        onceNobodyHolds { Client(to: address) == nil }
        #expect(count == 1)
        withExtendedLifetime(clients) {}
    }

    @Test("shares a port with listeners of other loops only on request")
    func reusePort() throws {
        let first = try Listener(loop: loop, address: .loopback(), reusePort: true) { _ in }
        let second = try Listener(loop: loop, address: first.tcp, reusePort: true) { _ in }
        #expect(second.tcp == first.tcp)
        let error = #expect(throws: TransportError.self) {
            _ = try Listener(loop: loop, address: first.tcp, reusePort: false) { _ in }
        }
        #expect(error?.kind == .addressInUse)
        #expect(error?.message.hasPrefix("cannot listen on \(first.tcp): Address already in use") == true)
    }

    @Test("needs an address of this machine")
    func foreignAddress() throws {
        // For documentation only (RFC 5737).
        let ip = try #require(IPAddress(literal: "192.0.2.1"))
        let error = #expect(throws: TransportError.self) {
            _ = try BoundSocket(SocketAddress(ip, port: 0), reusePort: false)
        }
        #expect(
            error?.message.contains("no network interface of this machine has the address") == true, "\(error as Any)")
    }

    @Test("can reuse a port whose last connections the kernel is still closing")
    func reuseAddress() throws {
        var accepted: StreamConnection?
        let own = try Self.addressOfItsOwn()
        var listener: Listener? = try Listener(loop: loop, address: own, reusePort: false) { [loop] socket in
            accepted = StreamConnection(socket, loop: loop)
        }
        let address = try #require(listener).tcp
        let client = try #require(Client(to: address))
        loop.runUntil { accepted != nil }
        // Who closes first keeps the TIME_WAIT state.
        accepted?.close()
        listener = nil
        client.close()
        onceNobodyHolds { (try? Listener(loop: loop, address: address, reusePort: false) { _ in }) != nil }
    }

    /// Tries until the condition holds: a process that another test starts has a copy of a listener until it runs its program.
    private func onceNobodyHolds(_ condition: () -> Bool) {
        loop.runUntil {
            loop.nextTurn {}
            return condition()
        }
    }

    @Test("pauses when descriptors run out, reports it, and accepts again when some are free")
    func descriptorsRunOut() async {
        // In a process of its own: the limit is everybody's.
        await #expect(processExitsWith: .success) { try ExitTestBody.run(ListenerTests.runOutOfDescriptors) }
    }

    private static func runOutOfDescriptors() throws {
        try DescriptorTable.separate()
        let loop = try EventLoop()
        var accepted: [StreamConnection] = []
        var errors: [(error: TransportError, at: MonotonicInstant)] = []
        let listener = try Listener(loop: loop, address: .loopback(), reusePort: false) { socket in
            accepted.append(StreamConnection(socket, loop: loop))
        }
        listener.failed = { errors.append(($0, loop.now)) }
        let clients = try (0..<5).map { _ in try #require(Client(to: listener.tcp)) }
        let former = Descriptors.limit(to: 200)
        var taken = Descriptors.takeAll()
        loop.runUntil { errors.count >= 2 }
        #expect(errors[1].at >= errors[0].at + .milliseconds(100))
        #expect(errors.allSatisfy { $0.error.kind == .descriptorLimit && $0.error.errno == EMFILE })
        #expect(errors[0].error.message.contains("ulimit -n"))
        #expect(accepted.isEmpty)
        taken = []
        _ = Descriptors.limit(to: former)
        loop.runUntil { accepted.count == 5 }
        withExtendedLifetime((clients, taken)) {}
    }

    @Test("leaves free the descriptors that others need, and accepts again when there are more")
    func descriptorsLeft() async {
        await #expect(processExitsWith: .success) { try ExitTestBody.run(ListenerTests.leaveDescriptors) }
    }

    @Test("does not pause when the last descriptor goes to the last waiting connection")
    func lastDescriptor() async {
        await #expect(processExitsWith: .success) { try ExitTestBody.run(ListenerTests.takeLastDescriptor) }
    }

    /// Other tests, also those of other processes, may get a port of 127.0.0.1 as soon as it is free.
    private static func addressOfItsOwn() throws -> SocketAddress {
        let process = getpid()
        return SocketAddress(
            try #require(IPAddress(literal: "127.17.\(process / 256 % 256).\(process % 256)")), port: 0)
    }

    @Test("What the owner knows of open descriptors counts more than a free number below them")
    func freeNumberBelow() throws {
        let loop = try EventLoop()
        var accepted = 0
        var errors: [TransportError] = []
        var open = DescriptorLimit.current
        let listener = try Listener(
            loop: loop, address: .loopback(), reusePort: false, descriptors: { DescriptorUse(open: open, kept: 1) },
            accepted: { _ in accepted += 1 })
        listener.failed = { errors.append($0) }
        let client = try #require(Client(to: listener.tcp))
        loop.runUntil { !errors.isEmpty }
        #expect(accepted == 0 && errors.first?.kind == .descriptorLimit)
        open = 0
        loop.runUntil { accepted == 1 }
        withExtendedLifetime(client) {}
    }

    private static func takeLastDescriptor() throws {
        try DescriptorTable.separate()
        let loop = try EventLoop()
        _ = Descriptors.limit(to: 200)
        var accepted: [StreamConnection] = []
        var errors: [TransportError] = []
        let listener = try Listener(
            loop: loop, address: .loopback(), reusePort: false, descriptors: { DescriptorUse(open: 0, kept: 50) },
            accepted: { accepted.append(StreamConnection($0, loop: loop)) })
        listener.failed = { errors.append($0) }
        let first = try #require(Client(to: listener.tcp))
        var taken = Descriptors.takeAll()
        // The numbers decide, and the process may have inherited a high one.
        let last = try #require(taken.last { $0.descriptor < 150 }).descriptor
        taken.removeAll { $0.descriptor >= last }
        loop.runUntil { accepted.count == 1 }
        #expect(errors.isEmpty)
        let second = Client(to: listener.tcp)
        loop.runUntil { !errors.isEmpty }
        #expect(accepted.count == 1)
        withExtendedLifetime((first, second, taken)) {}
    }

    private static func leaveDescriptors() throws {
        try DescriptorTable.separate()
        let loop = try EventLoop()
        _ = Descriptors.limit(to: 200)
        var accepted: [StreamConnection] = []
        var errors: [TransportError] = []
        let listener = try Listener(
            loop: loop, address: .loopback(), reusePort: false, descriptors: { DescriptorUse(open: 0, kept: 50) },
            accepted: { accepted.append(StreamConnection($0, loop: loop)) })
        listener.failed = { errors.append($0) }
        let clients = try (0..<5).map { _ in try #require(Client(to: listener.tcp)) }
        var taken = Descriptors.takeAll()
        taken.removeAll { $0.descriptor >= 155 }
        loop.runUntil { errors.count >= 2 }
        #expect(accepted.isEmpty)
        #expect(errors.allSatisfy { $0.kind == .descriptorLimit && $0.message.contains("ulimit -n") })
        // Room for three that leave fifty; or for two, if the process inherited one of the numbers.
        let room = taken.count { (147..<150).contains($0.descriptor) }
        taken.removeAll { $0.descriptor >= 147 }
        errors = []
        loop.runUntil { !errors.isEmpty }
        #expect(accepted.count == room)
        taken = []
        loop.runUntil { accepted.count == 5 }
        withExtendedLifetime((clients, taken)) {}
    }
}

/// A blocking TCP client.
final class Client {
    private var descriptor: Int32

    init?(to address: SocketAddress) {
        descriptor = attacheTestConnect(address)
        if descriptor < 0 { return nil }
    }

    deinit { close() }

    func close() {
        if descriptor >= 0 { Glibc.close(descriptor) }
        descriptor = -1
    }

    var localAddress: SocketAddress? {
        var storage = sockaddr_in6()
        var length = socklen_t(MemoryLayout<sockaddr_in6>.size)
        return withUnsafeMutablePointer(to: &storage) { storage in
            storage.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                guard getsockname(descriptor, address, &length) == 0 else { return nil }
                let isIPv6 = address.pointee.sa_family == sa_family_t(AF_INET6)
                let port = storage.withMemoryRebound(to: sockaddr_in6.self, capacity: 1) { $0.pointee.sin6_port }
                return SocketAddress(isIPv6 ? .loopbackV6 : .loopbackV4, port: UInt16(bigEndian: port))
            }
        }
    }
}

/// Connects to a loopback address; -1 if it is refused.
private func attacheTestConnect(_ address: SocketAddress) -> Int32 {
    let family = address.ip.isIPv6 ? AF_INET6 : AF_INET
    let descriptor = socket(family, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    var v4 = sockaddr_in()
    v4.sin_family = sa_family_t(AF_INET)
    v4.sin_port = address.port.bigEndian
    v4.sin_addr.s_addr = inet_addr("\(address.ip)")
    var v6 = sockaddr_in6()
    v6.sin6_family = sa_family_t(AF_INET6)
    v6.sin6_port = address.port.bigEndian
    v6.sin6_addr = in6addr_loopback
    let result =
        address.ip.isIPv6
        ? withUnsafeBytes(of: &v6) {
            connect(descriptor, $0.baseAddress?.assumingMemoryBound(to: sockaddr.self), socklen_t($0.count))
        }
        : withUnsafeBytes(of: &v4) {
            connect(descriptor, $0.baseAddress?.assumingMemoryBound(to: sockaddr.self), socklen_t($0.count))
        }
    if result == 0 { return descriptor }
    close(descriptor)
    return -1
}
