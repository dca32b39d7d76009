import EventTransport
private import Locking
import Logging
import TokenManager

/// Reports the token manager's changes to every worker's table, to the log and to the counters.
///
/// Called on the token manager's loop.
final class CredentialPublisher: TokenObserver {
    private struct Subscriber {
        let loop: EventLoop
        let update: @Sendable (String, RequestParameters?, AuthorizationHeader?) -> Void
    }

    private let subscribers = Locked<[Subscriber]>([])
    private let histograms = Locked<[String: Histogram]>([:])
    private let logger: Logger

    init(logger: Logger) { self.logger = logger }

    /// Keeps `table` up to date on its own loop from now on.
    func subscribe(_ table: CredentialTable, on loop: EventLoop) {
        let table = LoopBound(table, loop: loop)
        let subscriber = Subscriber(loop: loop) { table.value.update($0, $1, $2) }
        subscribers.withLock { $0.append(subscriber) }
    }

    /// Stops updating all tables, which hold the token manager, which holds this object.
    func unsubscribeAll() { subscribers.withLock { $0 = [] } }

    func headerChanged(_ name: String, _ parameters: RequestParameters?, _ header: AuthorizationHeader?) {
        for subscriber in subscribers.withLock({ $0 }) {
            if subscriber.loop.isCurrent {
                subscriber.update(name, parameters, header)
            } else {
                subscriber.loop.execute { subscriber.update(name, parameters, header) }
            }
        }
    }

    func fetchTook(_ name: String, _ duration: Duration) {
        histograms.withLock { $0[name, default: Histogram()].observe(duration.nanoseconds) }
    }

    /// The durations of fetches, by credential; readable on any thread.
    var fetchDurations: [String: Histogram] { histograms.withLock { $0 } }

    func fetchEnded(_ name: String, _ result: Result<FetchedToken, FailedFetch>) {
        var metadata: Logger.Metadata = ["credential": "\(name)"]
        switch result {
        case .success(let token):
            guard let recovery = token.recovery else {
                logger.debug("token fetched", metadata: metadata)
                return
            }
            metadata["after"] = "\(recovery.duration.secondsText())"
            metadata["attempts"] = .stringConvertible(recovery.attempts)
            logger.notice("token fetched again", metadata: metadata)
        case .failure(let failure) where failure.error.kind == .secretUnwritable:
            metadata["code"] = "\(failure.error.code)"
            metadata["reason"] = "\(failure.error.message)"
            metadata["nextAttempt"] = Self.nextAttempt(failure)
            logger.warning("refresh token not written", metadata: metadata)
        case .failure(let failure):
            metadata["code"] = "\(failure.error.code)"
            metadata["reason"] = "\(failure.error.message)"
            metadata["nextAttempt"] = Self.nextAttempt(failure)
            if let left = failure.servesFor { metadata["oldToken"] = "serves for \(left.secondsText())" }
            logger.warning("token not fetched", metadata: metadata)
        }
    }

    func secretRecovered(_ name: String, after duration: Duration) {
        logger.notice(
            "file usable again", metadata: ["credential": "\(name)", "after": "\(duration.secondsText())"])
    }

    func refreshTokenReplaced(_ name: String, in path: String) {
        logger.notice(
            "refresh token replaced by another process",
            metadata: [
                "credential": "\(name)", "file": "\(path)",
                "advice": "give each process a refresh token and a file of its own, unless you replaced it by hand",
            ])
    }

    private static func nextAttempt(_ failure: FailedFetch) -> Logger.Metadata.Value? {
        failure.error.retryAfter.map { "in \($0.secondsText(roundedUp: true))" }
    }
}

extension Duration {
    /// Whole seconds, at least one: rounded up for what comes then at the latest, down for what lasts that long.
    func secondsText(roundedUp: Bool = false) -> String {
        let parts = components
        return "\(max(1, parts.seconds + (roundedUp && parts.attoseconds > 0 ? 1 : 0))) s"
    }
}
