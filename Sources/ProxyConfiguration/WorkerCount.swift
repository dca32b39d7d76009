/// The number of event loops that serve requests.
package enum WorkerCount: Equatable, Sendable {
    /// 1 to 256.
    case count(Int)
    /// One for each processor that the process may use.
    case automatic
}
