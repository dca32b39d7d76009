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
        let update: @Sendable (Int, RequestParameters?, AuthorizationHeader?) -> Void
    }

    private let subscribers = Locked<[Subscriber]>([])
    private let histograms = Locked<[String: Histogram]>([:])
    /// The numbers of the credentials in the workers' tables, by name.
    private let numbers: Locked<[String: Int]>
    private let logger: Logger
    private let changed = Locked<Changed?>(nil)

    /// Called with a credential whose fetch, file or write succeeded (`isWell`) or failed.
    typealias Changed = @Sendable (_ credential: String, _ isWell: Bool) -> Void

    init(_ numbers: StableNumbers, logger: Logger) {
        self.numbers = Locked(numbers.currentCredentials)
        self.logger = logger
    }

    /// What is published from now on is of these credentials.
    func use(_ numbers: StableNumbers) { self.numbers.withLock { $0 = numbers.currentCredentials } }

    /// Sets what is called when a fetch has ended, a file is usable again, or a refresh token is written; nil ends that.
    func whenChanged(_ changed: Changed?) { self.changed.withLock { $0 = changed } }

    private func report(_ credential: String, isWell: Bool) { changed.withLock { $0 }?(credential, isWell) }

    /// Keeps `table` up to date on its own loop from now on.
    func subscribe(_ table: CredentialTable, on loop: EventLoop) {
        let table = LoopBound(table, loop: loop)
        let subscriber = Subscriber(loop: loop) { table.value.update($0, $1, $2) }
        subscribers.withLock { $0.append(subscriber) }
    }

    /// Stops updating all tables, which hold the token manager, which holds this object.
    func unsubscribeAll() { subscribers.withLock { $0 = [] } }

    func headerChanged(_ name: String, _ parameters: RequestParameters?, _ header: AuthorizationHeader?) {
        guard let number = numbers.withLock({ $0[name] }) else { return }
        for subscriber in subscribers.withLock({ $0 }) {
            if subscriber.loop.isCurrent {
                subscriber.update(number, parameters, header)
            } else {
                subscriber.loop.execute { subscriber.update(number, parameters, header) }
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
            report(name, isWell: true)
            guard let recovery = token.recovery else {
                logger.debug("token fetched", metadata: metadata)
                return
            }
            metadata["after"] = "\(recovery.duration.secondsText())"
            metadata["attempts"] = .stringConvertible(recovery.attempts)
            logger.notice("token fetched again", metadata: metadata)
        case .failure(let failure) where failure.error.kind == .secretUnwritable:
            report(name, isWell: false)
            metadata["code"] = "\(failure.error.code)"
            metadata["reason"] = "\(failure.error.message)"
            metadata["nextAttempt"] = Self.nextAttempt(failure)
            logger.warning("refresh token not written", metadata: metadata)
        case .failure(let failure):
            report(name, isWell: false)
            metadata["code"] = "\(failure.error.code)"
            metadata["reason"] = "\(failure.error.message)"
            metadata["nextAttempt"] = Self.nextAttempt(failure)
            if let left = failure.servesFor { metadata["oldToken"] = "usable for \(left.secondsText())" }
            logger.warning("token not fetched", metadata: metadata)
        }
    }

    func secretRecovered(_ name: String, after duration: Duration) {
        report(name, isWell: true)
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

    func refreshTokenWritten(_ name: String) {
        report(name, isWell: true)
        logger.notice("refresh token written", metadata: ["credential": "\(name)"])
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
