private import Glibc
private import Locking

/// Reports which file a thread waits for when a file system hangs and the thread can do nothing else.
///
/// Any thread may read. Reports come only between `watch` and `end`, on a thread of their own.
package final class FileWaits: Sendable {
    private struct Wait {
        let path: String
        let since: ContinuousClock.Instant
        var isTold = false
    }

    private struct State {
        var waits: [Int: Wait] = [:]
        var lastWait = 0
        /// The number of the current watch, or nil.
        var watch: Int?
        var lastWatch = 0
    }

    /// The waits of this process.
    package static let shared = FileWaits()
    /// The interval of the checks, in milliseconds.
    private static let interval: Int32 = 100

    private let state = Locked(State())
    private let patience: Duration

    /// Waits that are reported once they have taken as long as `patience`.
    package init(patience: Duration = .seconds(2)) { self.patience = patience }

    /// Reports the path of each file whose read takes too long from now on, once; a second watch changes nothing.
    package func watch(_ tell: @escaping @Sendable (_ path: String) -> Void) {
        let number = state.withLock { state -> Int? in
            guard state.watch == nil else { return nil }
            state.lastWatch += 1
            state.watch = state.lastWatch
            return state.lastWatch
        }
        guard let number else { return }
        _ = FileThreads.startThread {
            while let late = self.late(for: number) {
                for path in late { tell(path) }
                // A signal that cuts the sleep short makes the watch check early, which does no harm.
                _ = poll(nil, 0, Self.interval)
            }
        }
    }

    /// Ends the reports.
    package func end() { state.withLock { $0.watch = nil } }

    /// Runs a call that reads or opens a file on this thread.
    package func reading<Value, Failure: Error>(
        _ path: String, _ call: () throws(Failure) -> Value
    ) throws(Failure) -> Value {
        let number = state.withLock { state in
            state.lastWait += 1
            state.waits[state.lastWait] = Wait(path: path, since: .now)
            return state.lastWait
        }
        defer { state.withLock { _ = $0.waits.removeValue(forKey: number) } }
        return try call()
    }

    /// The files that have just become late; nil if there is another watch or none.
    private func late(for number: Int) -> [String]? {
        state.withLock { state in
            guard state.watch == number else { return nil }
            let limit = ContinuousClock.now - patience
            var late: [String] = []
            for (key, wait) in state.waits where !wait.isTold && wait.since <= limit {
                state.waits[key]?.isTold = true
                late.append(wait.path)
            }
            return late
        }
    }
}
