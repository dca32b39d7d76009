import ProxyCore

/// The idle upstream connections of one worker, to all its endpoints: bounded, and given up when descriptors are needed.
///
/// Confined to the worker's loop.
final class IdleConnections {
    private let limit: Int
    private var order = IdleOrder()
    /// By their entries in the order.
    private var connections: [UpstreamConnection?] = [nil]

    /// - Parameter limit: how many may be idle at a time.
    init(limit: Int) { self.limit = limit }

    var count: Int { order.count }

    /// Takes up a connection that has become idle, and closes the oldest if there are too many.
    ///
    /// - Returns: what `remove` takes.
    func append(_ connection: UpstreamConnection) -> IdleOrder.Entry {
        let entry = order.append()
        if entry == connections.count { connections.append(connection) } else { connections[entry] = connection }
        if order.count > limit { closeOldest() }
        return entry
    }

    /// A connection is leased, or closed.
    func remove(_ entry: IdleOrder.Entry) {
        order.remove(entry)
        connections[entry] = nil
    }

    /// Gives up the connection that has been idle for longest; false if none is idle.
    @discardableResult
    func closeOldest() -> Bool {
        guard let entry = order.oldest, let connection = connections[entry] else { return false }
        connection.closeIdle()
        return true
    }
}
