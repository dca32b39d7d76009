import EventTransport
import HTTPWire
import ProxyCore

/// A connection to a backend: leased to one exchange at a time, or idle in its endpoint's pool.
///
/// Confined to the worker's loop. Anything that a backend says on an idle connection ends it (RFC 9112 section 9.2).
final class UpstreamConnection: StreamDelegate {
    let stream: StreamConnection
    /// Its name within its endpoint, while it is open.
    let number: Int
    private let endpoint: UpstreamEndpoint
    private var lease: Exchange?
    private var isOpen = true
    /// Whether an exchange has been served before, so that a loss may be the backend's idle time-out.
    private(set) var isReused = false
    /// How long the connection may stay idle, in nanoseconds.
    ///
    /// Below the 60 s that many servers keep an idle connection, so that we close first, until the backend says otherwise.
    private var idleTimeout: Int64 = 50_000_000_000

    init(_ stream: StreamConnection, number: Int, endpoint: UpstreamEndpoint) {
        self.stream = stream
        self.number = number
        self.endpoint = endpoint
        stream.delegate = self
        stream.start()
    }

    func lease(to exchange: Exchange) {
        lease = exchange
        stream.deadline = nil
    }

    /// Takes up how long the backend says that it keeps an idle connection; a second is left for the way.
    func keep(forSeconds seconds: Int) {
        idleTimeout = Int64(min(max(0, seconds - 1), 3600)) * 1_000_000_000
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
        case .reusable where isOpen:
            isReused = true
            endpoint.release(self)
        case .reusable, .complete: close()
        case .cut: abort()
        }
    }

    func becameIdle() {
        stream.resumeReading()
        stream.deadline = endpoint.loop.now.advanced(byNanoseconds: idleTimeout)
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
        endpoint.connectionClosed(self)
        return true
    }

    private func closeIdle() {
        endpoint.forget(self)
        close()
    }

    func streamReceived(_ bytes: Span<UInt8>) {
        guard let lease else {
            closeIdle()
            return
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
