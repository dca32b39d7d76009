import EventTransport
import ProxyCore

/// The idle upstream connections of one worker, to all its endpoints: limited, and closed when descriptors are
/// needed.
///
/// Confined to the worker's loop.
final class IdleConnections {
    private struct State: ~Copyable {
        var order = IdleOrder()
        /// The open connections, idle or not, by their entries in the order.
        var connections: [UpstreamConnection?] = [nil]

        var oldest: UpstreamConnection? { order.oldest.flatMap { connections[$0] } }

        mutating func enter(_ connection: UpstreamConnection) -> IdleOrder.Entry {
            let entry = order.makeEntry()
            if entry == connections.count { connections.append(connection) } else { connections[entry] = connection }
            return entry
        }

        mutating func leave(_ entry: IdleOrder.Entry) {
            order.drop(entry)
            connections[entry] = nil
        }
    }

    private let limit: Int
    private let state = Confined(State())

    /// - Parameter limit: The largest number of idle connections.
    init(limit: Int) { self.limit = limit }

    var count: Int { state.value.order.count }

    /// Enters a connection that was opened and is not idle.
    ///
    /// - Returns: Its entry until `leave`.
    func enter(_ connection: UpstreamConnection) -> IdleOrder.Entry { state.value.enter(connection) }

    /// Forgets a connection that has closed and is not idle.
    func leave(_ entry: IdleOrder.Entry) { state.value.leave(entry) }

    /// Adds a connection that has become idle.
    func append(_ entry: IdleOrder.Entry) { state.value.order.append(entry) }

    /// Closes the oldest connection if the limit is exceeded.
    func closeSurplus() {
        if count > limit { closeOldest() }
    }

    /// Removes a connection that was leased or closed.
    func remove(_ entry: IdleOrder.Entry) { state.value.order.remove(entry) }

    /// Closes the connection that has been idle longest; false if none is idle.
    @discardableResult
    func closeOldest() -> Bool {
        guard let connection = state.value.oldest else { return false }
        connection.closeIdle()
        return true
    }
}
