import CLibevent
import Glibc

/// Connects to several addresses and takes the first that answers (RFC 8305, happy eyeballs).
///
/// Confined to the loop's thread. IPv6 and IPv4 alternate. The next address is tried when one fails, or in parallel
/// after 250 ms. Calls one of its closures once, perhaps before `begin()` returns.
final class AddressRace {
    private static let headStart = Duration.milliseconds(250)

    private let loop: EventLoop
    private var untried: [SocketAddress]
    private var running: [Contender] = []
    private var failures: [(address: SocketAddress, errno: Int32)] = []
    private var won: ((consuming Socket) -> Void)?
    private var lost: (([(address: SocketAddress, errno: Int32)]) -> Void)?
    private var patience: Timer?

    init(
        loop: EventLoop, addresses: [SocketAddress],
        won: @escaping (consuming Socket) -> Void,
        lost: @escaping ([(address: SocketAddress, errno: Int32)]) -> Void
    ) {
        self.loop = loop
        untried = Self.alternating(addresses).reversed()
        self.won = won
        self.lost = lost
    }

    func begin() { tryNext() }

    func cancel() {
        untried = []
        running = []
        patience = nil
        won = nil
        lost = nil
    }

    private static func alternating(_ addresses: [SocketAddress]) -> [SocketAddress] {
        let startsWithIPv6 = addresses.first?.ip.isIPv6 ?? false
        let first = addresses.filter { $0.ip.isIPv6 == startsWithIPv6 }
        let second = addresses.filter { $0.ip.isIPv6 != startsWithIPv6 }
        var mixed: [SocketAddress] = []
        for index in 0..<max(first.count, second.count) {
            if index < first.count { mixed.append(first[index]) }
            if index < second.count { mixed.append(second[index]) }
        }
        return mixed
    }

    private func tryNext() {
        patience = nil
        while let address = untried.popLast() {
            let socket = Socket(owning: attache_socket_open(address.ip.isIPv6), peer: address)
            guard socket.descriptor >= 0 else {
                failures.append((address, errno))
                continue
            }
            _ = attache_socket_no_delay(socket.descriptor)
            if attache_socket_connect(socket.descriptor, address.raw) != 0, errno != EINPROGRESS, errno != EINTR {
                failures.append((address, errno))
                continue
            }
            // A socket that has connected already becomes writable too.
            let contender = Contender(socket, address, loop: loop) { [unowned self] in ready($0) }
            running.append(contender)
            waitBeforeNext()
            return
        }
        guard running.isEmpty else { return }
        let lost = lost
        let failures = failures
        cancel()
        lost?(failures)
    }

    private func waitBeforeNext() {
        guard !untried.isEmpty else { return }
        let patience = Timer(loop: loop) { [unowned self] in tryNext() }
        patience.schedule(after: Self.headStart)
        self.patience = patience
    }

    private func ready(_ contender: Contender) {
        guard let index = running.firstIndex(where: { $0 === contender }) else { return }
        running.remove(at: index)
        if let failure = contender.failure {
            failures.append((contender.address, failure))
            return tryNext()
        }
        let won = won
        cancel()
        if let socket = contender.takeSocket() { won?(socket) }
    }
}

/// One socket that connects to one address.
private final class Contender {
    let address: SocketAddress
    private var socket: Socket?
    private var watch: ReadinessWatch?

    init(_ socket: consuming Socket, _ address: SocketAddress, loop: EventLoop, ready: @escaping (Contender) -> Void) {
        self.address = address
        let descriptor = socket.descriptor
        self.socket = consume socket
        watch = ReadinessWatch(loop: loop, descriptor: descriptor, Event.write) { [unowned self] in ready(self) }
        watch?.start()
    }

    deinit { watch?.end() }

    func takeSocket() -> Socket? {
        watch?.end()
        return socket.take()
    }

    /// Why the socket could not connect; nil if it did.
    var failure: Int32? {
        guard let descriptor = socket?.descriptor else { return EBADF }
        let failure = attache_socket_error(descriptor)
        guard failure == 0 else { return failure }
        // A socket that connects to a free port of the ephemeral range may be given that port itself, and meet
        // itself.
        guard address.ip.isLoopback else { return nil }
        var local = attache_address()
        // SAFETY: the address is lent for the call.
        guard unsafe attache_socket_local(descriptor, &local) else { return errno }
        return SocketAddress(local) == address ? ECONNREFUSED : nil
    }
}
