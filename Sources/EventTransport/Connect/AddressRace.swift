import CLibevent
import Glibc

/// Connects to several addresses and takes the first that answers (RFC 8305, happy eyeballs).
///
/// Confined to the loop's thread. The next address is tried when one fails, or in parallel after 250 ms. Addresses may be
/// added while others are being tried. Calls one of its closures once, perhaps before `add` returns.
///
/// The race ends with the TCP connection. A failed handshake concerns the server more often than one of its addresses, so
/// it is reported instead of being repeated at each of them.
final class AddressRace {
    typealias Failure = (address: SocketAddress, errno: Int32)

    private static let headStart = Duration.milliseconds(250)

    private let loop: EventLoop
    private let failed: FailedAddresses
    private var untried = UntriedAddresses()
    private var isAwaitingMore = true
    private var running: [Contender] = []
    private(set) var failures: [Failure] = []
    private var won: ((consuming Socket) -> Void)?
    private var lost: (([Failure]) -> Void)?
    private var pace: Timer?
    /// When the next address is tried, if none fails before.
    private var nextAt = MonotonicInstant(nanoseconds: 0)

    init(
        loop: EventLoop, failed: FailedAddresses, won: @escaping (consuming Socket) -> Void,
        lost: @escaping ([Failure]) -> Void
    ) {
        self.loop = loop
        self.failed = failed
        self.won = won
        self.lost = lost
        pace = Timer(loop: loop) { [unowned self] in tryNext() }
    }

    /// Adds addresses, and begins if nothing is being tried; those that are known already are ignored.
    ///
    /// - Parameters:
    ///   - addresses: The addresses in the order of preference.
    ///   - isLast: Whether no others follow. Until then, the race is not lost.
    func add(_ addresses: [SocketAddress], isLast: Bool) {
        untried.add(addresses)
        if isLast { isAwaitingMore = false }
        if running.isEmpty { tryNext() } else { paceNext() }
    }

    func cancel() {
        untried = UntriedAddresses()
        running = []
        pace = nil
        won = nil
        lost = nil
    }

    /// The addresses that have not answered yet.
    var unanswered: [SocketAddress] { running.map(\.address) }

    /// The time for the whole attempt is over: what did not answer counts as failed.
    func timeRanOut() {
        for contender in running { failed.insert(contender.address, loop.now) }
    }

    private func tryNext() {
        pace?.cancel()
        let now = loop.now
        while let address = untried.takeNext(avoiding: { failed.contains($0, now) }) {
            let socket = Socket(owning: attache_socket_open(address.ip.isIPv6), peer: address)
            guard socket.descriptor >= 0 else {
                failures.append((address, errno))
                continue
            }
            _ = attache_socket_no_delay(socket.descriptor)
            if address.ip.isLoopback { _ = attache_socket_no_pacing(socket.descriptor) }
            if attache_socket_connect(socket.descriptor, address.raw) != 0, errno != EINPROGRESS, errno != EINTR {
                failures.append((address, errno))
                failed.insert(address, now)
                continue
            }
            nextAt = now + Self.headStart
            // A socket that has connected already becomes writable too.
            let contender = Contender(socket, address, deadline: nextAt, loop: loop) { [unowned self] in ready($0) }
            running.append(contender)
            return paceNext()
        }
        guard running.isEmpty, !isAwaitingMore else { return }
        let lost = lost
        let failures = failures
        cancel()
        lost?(failures)
    }

    private func paceNext() {
        if !untried.isEmpty { pace?.schedule(at: nextAt) }
    }

    private func ready(_ contender: Contender) {
        guard let index = running.firstIndex(where: { $0 === contender }) else { return }
        running.remove(at: index)
        if let failure = contender.failure {
            failures.append((contender.address, failure))
            failed.insert(contender.address, loop.now)
            return tryNext()
        }
        failed.remove(contender.address)
        // They had their head start and lost nevertheless, such as IPv6 where a router drops it.
        for slow in running where slow.deadline <= loop.now { failed.insert(slow.address, loop.now) }
        let won = won
        cancel()
        if let socket = contender.takeSocket() { won?(socket) }
    }
}

/// One socket that connects to one address.
private final class Contender {
    let address: SocketAddress
    /// When its head start ends.
    let deadline: MonotonicInstant
    private var socket: Socket?
    private var watch: ReadinessWatch?

    init(
        _ socket: consuming Socket, _ address: SocketAddress, deadline: MonotonicInstant, loop: EventLoop,
        ready: @escaping (Contender) -> Void
    ) {
        self.address = address
        self.deadline = deadline
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
