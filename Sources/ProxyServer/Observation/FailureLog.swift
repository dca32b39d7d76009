import EventTransport
import Locking
import Logging
import ProxyCore

/// Logs requests that failed on the side of the backend: at most one line a minute for each route and cause.
///
/// All workers share one. The access log has a line for every failed request.
final class FailureLog: Sendable {
    private struct Cause: Hashable {
        let route: Int?
        let code: String
    }

    /// The lines of one cause.
    private struct Lines {
        var nextAt: MonotonicInstant
        /// The failures since the last line.
        var untold = 0
    }

    static let interval: Duration = .seconds(60)

    private let logger: Logger
    private let lines = Locked<[Cause: Lines]>([:])

    init(_ logger: Logger) { self.logger = logger }

    /// Logs the error if its source is the backend's side, and its cause had no line for a minute.
    ///
    /// - Parameters:
    ///   - error: The error that the app got.
    ///   - route: The index of the route; nil if the request has none.
    ///   - name: The name of that route.
    ///   - upstream: The name of the backend.
    ///   - now: The time.
    func note(
        _ error: ProxyError, route: Int?, named name: @autoclosure () -> String?,
        to upstream: @autoclosure () -> String,
        at now: MonotonicInstant
    ) {
        guard error.source == .upstream else { return }
        guard let count = due(Cause(route: route, code: "\(error.code)"), at: now) else { return }
        logger.warning(
            "request failed",
            metadata: [
                "route": "\(name() ?? "none")", "upstream": "\(upstream())", "code": "\(error.code)",
                "reason": "\(error.detail)", "count": .stringConvertible(count),
            ])
    }

    /// The number of failures for a line that is due now; nil if none is.
    private func due(_ cause: Cause, at now: MonotonicInstant) -> Int? {
        lines.withLock { lines in
            var line = lines[cause] ?? Lines(nextAt: now)
            defer { lines[cause] = line }
            line.untold += 1
            guard now >= line.nextAt else { return nil }
            defer { line = Lines(nextAt: now + Self.interval) }
            return line.untold
        }
    }
}
