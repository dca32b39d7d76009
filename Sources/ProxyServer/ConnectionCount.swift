import Synchronization

/// The number of connections from apps to all workers together, against `limits.connections`.
///
/// Any thread.
final class ConnectionCount: Sendable {
    private let limit: Int
    private let count = Atomic(0)

    init(limit: Int) { self.limit = max(1, limit) }

    /// The connections of now.
    var current: Int { count.load(ordering: .relaxed) }

    /// Counts one more connection; if the limit is reached, returns false and does not count it.
    func takes() -> Bool {
        guard count.add(1, ordering: .relaxed).newValue > limit else { return true }
        left()
        return false
    }

    /// Counts the end of a connection.
    func left() { count.subtract(1, ordering: .relaxed) }
}
