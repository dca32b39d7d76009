import Synchronization

/// What was asked about names, counted for the metrics page; several loops share one.
///
/// Any thread may use it. Touched when a connection is opened or a look-up ends, never by a request on an open connection.
package final class NameCounts: Sendable {
    /// The numbers at one moment.
    package struct Snapshot: Equatable, Sendable {
        /// Look-ups that found addresses.
        package var found: Int
        /// Look-ups whose servers said that there is no address.
        package var missing: Int
        /// Look-ups that no server answered.
        package var failed: Int
        /// Names whose addresses were known.
        package var hits: Int
        /// Names whose addresses were known, but whose TTL had ended.
        package var stale: Int

        package init(found: Int, missing: Int, failed: Int, hits: Int, stale: Int) {
            self.found = found
            self.missing = missing
            self.failed = failed
            self.hits = hits
            self.stale = stale
        }
    }

    let found = Atomic(0)
    let missing = Atomic(0)
    let failed = Atomic(0)
    let hits = Atomic(0)
    let stale = Atomic(0)

    package init() {}

    package var snapshot: Snapshot {
        Snapshot(
            found: found.load(ordering: .relaxed), missing: missing.load(ordering: .relaxed),
            failed: failed.load(ordering: .relaxed), hits: hits.load(ordering: .relaxed),
            stale: stale.load(ordering: .relaxed))
    }
}

extension Atomic<Int> {
    func increase() { add(1, ordering: .relaxed) }
}
