package import ProxyConfiguration
import Synchronization

/// The least severe level that the log on standard error shows; any thread reads and changes it.
package final class LogThreshold: Sendable {
    private let index: Atomic<Int>

    package init(_ level: LogLevel = .info) { index = Atomic(Self.index(of: level)) }

    package var level: LogLevel {
        get { LogLevel.allCases[index.load(ordering: .relaxed)] }
        set { index.store(Self.index(of: newValue), ordering: .relaxed) }
    }

    private static func index(of level: LogLevel) -> Int {
        guard let index = LogLevel.allCases.firstIndex(of: level) else { preconditionFailure("a level is no level") }
        return index
    }
}
