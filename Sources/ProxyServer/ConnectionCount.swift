import Synchronization

/// How many connections of apps all workers have together, against `limits.connections`.
///
/// Any thread.
final class ConnectionCount: Sendable {
    private let limit: Int
    private let count = Atomic(0)

    init(limit: Int) { self.limit = max(1, limit) }

    /// Counts one more connection; false, and not counted, where the limit is reached.
    func takes() -> Bool {
        guard count.add(1, ordering: .relaxed).newValue > limit else { return true }
        left()
        return false
    }

    /// A connection that was counted has ended.
    func left() { count.subtract(1, ordering: .relaxed) }
}
