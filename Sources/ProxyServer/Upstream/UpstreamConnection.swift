import EventTransport
import HTTPWire
import ProxyCore

/// A connection to a backend; performs what `UpstreamConnectionStateMachine` decides.
///
/// Confined to the worker's loop. Any byte from a backend on an idle connection closes it (RFC 9112 section 9.2). The
/// same holds for bytes that arrived unseen before the connection was leased: they are never taken for the response
/// to a later request.
final class UpstreamConnection: StreamDelegate {
    typealias LeaseEnd = UpstreamConnectionStateMachine<Exchange>.LeaseEnd

    let stream: StreamConnection
    /// The connection's number within its endpoint, while it is open.
    let number: Int
    /// The endpoint's TLS generation when the connection was opened.
    let generation: Int
    private let endpoint: UpstreamEndpoint
    // Copies of the endpoint's references: reading them through the endpoint would retain each one at every use.
    private let loop: EventLoop
    private let idle: IdleConnections
    private var idleEntry: IdleOrder.Entry = 0
    private let machine = Confined(UpstreamConnectionStateMachine<Exchange>.new)
    /// How long the connection may stay idle, in nanoseconds.
    ///
    /// The default is below the 60 s for which many servers keep an idle connection, so that Attaché closes first. A
    /// backend's `Keep-Alive` changes it.
    private var idleTimeout: Int64 = 50_000_000_000

    init(_ stream: StreamConnection, number: Int, generation: Int, endpoint: UpstreamEndpoint) {
        self.stream = stream
        self.number = number
        self.generation = generation
        self.endpoint = endpoint
        loop = endpoint.loop
        idle = endpoint.idle
        idleEntry = idle.enter(self)
        stream.delegate = self
        stream.start()
    }

    /// Whether the connection was idle before its exchange, so that a loss may be the backend's idle timeout.
    var isReused: Bool { machine.value.isReused }

    func lease(to exchange: Exchange) {
        switch machine.value.leased(to: exchange, inTurn: loop.turn) {
        case .leaveIdle(let entry): idle.remove(entry)
        case .none: break
        }
        stream.deadline = nil
    }

    /// The connection becomes a side of a tunnel, which takes its stream's events and ends the lease.
    func beginTunnel() {
        machine.value.tunnelBegan()
        stream.deadline = nil
    }

    /// The longest idle timeout that a backend can set, in seconds: a reused connection saves only a handshake, but
    /// occupies a descriptor.
    private static let longestIdleTimeout = 300

    /// Applies the backend's own idle timeout, less one second for the request's way to it.
    func keep(forSeconds seconds: Int) {
        idleTimeout = Int64(min(max(0, seconds - 1), Self.longestIdleTimeout)) * 1_000_000_000
    }

    func endLease(_ end: LeaseEnd) {
        let holdsUnread = end == .reusable && stream.holdsUnread
        switch machine.value.leaseEnded(end, holdsUnread: holdsUnread) {
        case .release: endpoint.release(self)
        case .close:
            leave()
            stream.close()
        case .abort:
            leave()
            stream.abort()
        }
    }

    private func leave() {
        idle.leave(idleEntry)
        endpoint.connectionClosed(self)
    }

    /// The endpoint keeps the connection for another exchange.
    func becameIdle() {
        stream.resumeReading()
        stream.deadline = loop.now.advanced(byNanoseconds: idleTimeout)
        idle.append(idleEntry)
        machine.value.becameIdle(idleEntry)
        idle.closeSurplus()
    }

    /// Closes a connection that no exchange has.
    func close() {
        switch machine.value.closed() {
        case .leaveIdle(let entry): idle.remove(entry)
        case .none: break
        }
        leave()
        stream.close()
    }

    /// Closes an idle connection.
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

    /// The idle timeout has passed.
    func streamDeadlinePassed() { closeIdle() }
}
