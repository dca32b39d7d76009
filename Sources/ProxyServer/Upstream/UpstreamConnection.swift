import EventTransport
import HTTPWire
import ProxyCore

/// A connection to a backend: leased to one exchange at a time, or idle in its endpoint's pool.
///
/// Confined to the worker's loop. Anything that a backend says on an idle connection ends it (RFC 9112 section 9.2), also
/// what lies there unseen when the connection is leased: it is never taken for the answer to a request that came later.
final class UpstreamConnection: StreamDelegate {
    let stream: StreamConnection
    /// Its name within its endpoint, while it is open.
    let number: Int
    /// Which of the endpoint's client certificates it shows.
    let generation: Int
    private let endpoint: UpstreamEndpoint
    // Copies of the endpoint's references. Reading them through the endpoint would retain each one at every use.
    private let loop: EventLoop
    private let idle: IdleConnections
    private var lease: Exchange?
    /// Where it stands among the worker's idle connections; nil while it is leased or new.
    private var idleEntry: IdleOrder.Entry?
    /// The loop's turn in which the lease began.
    private var leasedInTurn: UInt64 = 0
    private var isOpen = true
    /// Whether it has been idle, so that a loss may be the backend's idle time-out.
    private(set) var isReused = false
    /// How long the connection may stay idle, in nanoseconds.
    ///
    /// Below the 60 s that many servers keep an idle connection, so that we close first, until the backend says otherwise.
    private var idleTimeout: Int64 = 50_000_000_000

    init(_ stream: StreamConnection, number: Int, generation: Int, endpoint: UpstreamEndpoint) {
        self.stream = stream
        self.number = number
        self.generation = generation
        self.endpoint = endpoint
        loop = endpoint.loop
        idle = endpoint.idle
        stream.delegate = self
        stream.start()
    }

    func lease(to exchange: Exchange) {
        leaveIdle()
        lease = exchange
        leasedInTurn = loop.turn
        stream.deadline = nil
    }

    /// No backend makes an idle connection stay longer, in seconds: a request saves one handshake, for the price of a descriptor.
    private static let longestIdleTimeout = 300

    /// Takes up how long the backend says that it keeps an idle connection; a second is left for the way.
    func keep(forSeconds seconds: Int) {
        idleTimeout = Int64(min(max(0, seconds - 1), Self.longestIdleTimeout)) * 1_000_000_000
    }

    /// What an exchange leaves behind when it ends its lease.
    enum LeaseEnd {
        /// Both messages went through, and another exchange may follow.
        case reusable
        /// Both messages went through, and nothing may follow.
        case complete
        /// A message did not go through.
        case cut
    }

    func endLease(_ end: LeaseEnd) {
        lease = nil
        switch end {
        case .reusable where isOpen && !stream.holdsUnread: endpoint.release(self)
        case .reusable, .complete: close()
        case .cut: abort()
        }
    }

    func becameIdle() {
        isReused = true
        stream.resumeReading()
        stream.deadline = loop.now.advanced(byNanoseconds: idleTimeout)
        idleEntry = idle.append(self)
    }

    private func leaveIdle() {
        guard let entry = idleEntry else { return }
        idleEntry = nil
        idle.remove(entry)
    }

    /// The orderly end of a connection that owes nothing.
    func close() {
        guard end() else { return }
        stream.close()
    }

    /// The end of a connection with a message under way: the backend is to see that it was cut.
    private func abort() {
        guard end() else { return }
        stream.abort()
    }

    private func end() -> Bool {
        guard isOpen else { return false }
        isOpen = false
        lease = nil
        leaveIdle()
        endpoint.connectionClosed(self)
        return true
    }

    /// Ends a connection that is idle.
    func closeIdle() {
        endpoint.forget(self)
        close()
    }

    func streamReceived(_ bytes: Span<UInt8>) {
        guard let lease else {
            closeIdle()
            return
        }
        // What is readable in the turn that took the connection from the pool was sent before the request was.
        guard !isReused || loop.turn != leasedInTurn else {
            return lease.upstreamFailed(TransportError(.reset, "it sent bytes that no request had asked for"))
        }
        lease.responseBytesReceived(bytes)
    }

    func streamEnded() {
        guard let lease else {
            closeIdle()
            return
        }
        lease.upstreamEnded()
    }

    func streamBlocked() {
        guard let lease else {
            // The next request would wait behind the rest of one that was answered early.
            closeIdle()
            return
        }
        lease.upstreamBlocked()
    }

    func streamDrained() {
        lease?.upstreamDrained()
    }

    func streamFailed(_ error: TransportError) {
        guard let lease else {
            closeIdle()
            return
        }
        lease.upstreamFailed(error)
    }

    func streamDeadlinePassed() {
        if lease == nil { closeIdle() }
    }
}
