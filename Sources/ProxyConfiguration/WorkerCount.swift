/// How many event loops serve requests.
package enum WorkerCount: Equatable, Sendable {
    /// 1 to 256.
    case count(Int)
    /// As many as this process may use processors.
    case automatic
}
