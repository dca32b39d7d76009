import EventTransport
import HTTPWire
import ProxyCore

/// A connection to a backend: performs what `UpstreamConnectionStateMachine` decides.
///
/// Confined to the worker's loop. Anything that a backend says on an idle connection ends it (RFC 9112 section 9.2), also
/// what lies there unseen when the connection is leased: it is never taken for the answer to a request that came later.
final class UpstreamConnection: StreamDelegate {
    typealias LeaseEnd = UpstreamConnectionStateMachine<Exchange>.LeaseEnd

    let stream: StreamConnection
    /// Its name within its endpoint, while it is open.
    let number: Int
    /// Which of the endpoint's client certificates it shows.
    let generation: Int
    private let endpoint: UpstreamEndpoint
    // Copies of the endpoint's references. Reading them through the endpoint would retain each one at every use.
    private let loop: EventLoop
    private let idle: IdleConnections
    private let machine = Confined(UpstreamConnectionStateMachine<Exchange>.new)
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

    /// Whether it was idle before its exchange took it, so that a loss may be the backend's idle time-out.
    var isReused: Bool { machine.value.isReused }

    func lease(to exchange: Exchange) {
        switch machine.value.leased(to: exchange, inTurn: loop.turn) {
        case .leaveIdle(let entry): idle.remove(entry)
        case .none: break
        }
        stream.deadline = nil
    }

    /// No backend makes an idle connection stay longer, in seconds: a request saves one handshake, for the price of a descriptor.
    private static let longestIdleTimeout = 300

    /// Takes up how long the backend says that it keeps an idle connection; a second is left for the way.
    func keep(forSeconds seconds: Int) {
        idleTimeout = Int64(min(max(0, seconds - 1), Self.longestIdleTimeout)) * 1_000_000_000
    }

    func endLease(_ end: LeaseEnd) {
        let holdsUnread = end == .reusable && stream.holdsUnread
        switch machine.value.leaseEnded(end, holdsUnread: holdsUnread) {
        case .release: endpoint.release(self)
        case .close:
            endpoint.connectionClosed(self)
            stream.close()
        case .abort:
            endpoint.connectionClosed(self)
            stream.abort()
        }
    }

    /// The endpoint keeps the connection for another exchange.
    func becameIdle() {
        stream.resumeReading()
        stream.deadline = loop.now.advanced(byNanoseconds: idleTimeout)
        machine.value.becameIdle(idle.append(self))
        idle.closeSurplus()
    }

    /// Ends a connection that no exchange has.
    func close() {
        switch machine.value.closed() {
        case .leaveIdle(let entry): idle.remove(entry)
        case .none: break
        }
        endpoint.connectionClosed(self)
        stream.close()
    }

    /// Ends a connection that is idle.
    func closeIdle() {
        endpoint.forget(self)
        close()
    }

    func streamReceived(_ bytes: Span<UInt8>) {
        switch machine.value.bytesReceived(inTurn: loop.turn) {
        case .forward(let exchange): exchange.responseBytesReceived(bytes)
        case .fail(let exchange):
            exchange.upstreamFailed(TransportError(.reset, "it sent bytes that no request had asked for"))
        case .close: closeIdle()
        }
    }

    func streamEnded() {
        switch machine.value.backendStopped() {
        case .tell(let exchange): exchange.upstreamEnded()
        case .close: closeIdle()
        }
    }

    func streamBlocked() {
        switch machine.value.backendStopped() {
        case .tell(let exchange): exchange.upstreamBlocked()
        case .close: closeIdle()
        }
    }

    func streamFailed(_ error: TransportError) {
        switch machine.value.backendStopped() {
        case .tell(let exchange): exchange.upstreamFailed(error)
        case .close: closeIdle()
        }
    }

    func streamDrained() {
        switch machine.value.drained() {
        case .tell(let exchange): exchange.upstreamDrained()
        case .none: break
        }
    }

    /// The connection has been idle for long enough.
    func streamDeadlinePassed() { closeIdle() }
}
