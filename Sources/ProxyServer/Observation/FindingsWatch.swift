import EventTransport
import Logging
import ProxyCore
import TokenManager

/// Evaluates the findings of the running process, and logs when one begins to be shown, becomes worse, or ends.
///
/// Owned by the control; confined to the first worker's loop. It evaluates after a change of state, or when time alone changes
/// a finding: at most once a second, unless somebody asks after a change. It evaluates at least once an hour, because nothing
/// reports that the wall clock was set, or that a backend showed another certificate.
final class FindingsWatch {
    /// What is wrong at one instant.
    struct Found {
        var findings: [Finding] = []
        /// When they change by time alone, as far as that is known.
        var nextChange: ContinuousClock.Instant?
    }

    /// The time between two evaluations at least, unless somebody asks after a change.
    static let shortestPause: Duration = .seconds(1)
    /// The time between two evaluations at most.
    static let longestPause: Duration = .seconds(3600)

    private let loop: EventLoop
    private let logger: Logger
    private let statuses: () -> [CredentialStatus]
    private let gather: (ContinuousClock.Instant, [CredentialStatus]) -> Found
    private var shown = ShownFindings()
    private var evaluatedAt: ContinuousClock.Instant?
    /// When the findings change by time alone.
    private var nextChange: ContinuousClock.Instant?
    /// Whether a state has changed since the last evaluation.
    private var isOutdated = false
    private lazy var timer = Timer(loop: loop) { [unowned self] in timeReached() }
    /// When the next evaluation is due.
    private var dueAt: ContinuousClock.Instant?
    private var isStopped = false

    /// - Parameters:
    ///   - loop: The first worker's loop.
    ///   - logger: The log.
    ///   - statuses: The states of the credentials.
    ///   - gather: What is wrong at an instant, with these states.
    init(
        loop: EventLoop, logger: Logger, statuses: @escaping () -> [CredentialStatus],
        gather: @escaping (ContinuousClock.Instant, [CredentialStatus]) -> Found
    ) {
        self.loop = loop
        self.logger = logger
        self.statuses = statuses
        self.gather = gather
    }

    /// The findings that are shown now.
    ///
    /// - Parameter credentials: The states of the credentials, if the caller has just gathered them.
    /// - Returns: The findings, at most a second old if no state was reported to have changed.
    func current(_ credentials: [CredentialStatus]? = nil) -> [ShownFindings.Shown] {
        if needsEvaluation { evaluate(credentials ?? statuses()) }
        return shown.all
    }

    private var needsEvaluation: Bool {
        guard !isOutdated, let evaluatedAt else { return true }
        let now = loop.continuousNow
        return now - evaluatedAt >= Self.shortestPause || nextChange.map { $0 <= now } ?? false
    }

    /// A state has changed: the findings are evaluated in a later turn of the loop.
    func changed() {
        guard !isOutdated else { return }
        isOutdated = true
        schedule()
    }

    /// A credential's fetch, file or write succeeded or failed; a success without a finding to end changes nothing.
    func credentialChanged(_ name: String, isWell: Bool) {
        if !isWell || shown.concerns(.credential(name)) { changed() }
    }

    func stop() {
        isStopped = true
        timer.cancel()
    }

    private func timeReached() {
        let now = loop.continuousNow
        // The loop's clock may be a moment ahead of this one.
        if let dueAt, dueAt > now { return timer.schedule(after: dueAt - now) }
        evaluate(statuses())
    }

    private func evaluate(_ credentials: [CredentialStatus]) {
        let now = loop.continuousNow
        let found = gather(now, credentials)
        let change = shown.evaluated(found.findings, at: now)
        for finding in change.began { log("finding began", finding) }
        for finding in change.worsened { log("finding became worse", finding) }
        for ended in change.ended { logEnd(ended, now) }
        evaluatedAt = now
        isOutdated = false
        nextChange = [change.next, found.nextChange].compactMap(\.self).min()
        schedule()
    }

    private func schedule() {
        guard !isStopped else { return }
        let now = loop.continuousNow
        let last = evaluatedAt ?? now - Self.shortestPause
        var due = last + Self.longestPause
        if let nextChange { due = min(due, nextChange) }
        if isOutdated { due = now }
        due = max(due, last + Self.shortestPause)
        dueAt = due
        timer.schedule(after: max(.zero, due - now))
    }

    private func log(_ message: Logger.Message, _ finding: Finding) {
        var metadata = Self.metadata(finding)
        metadata["severity"] = "\(finding.severity.rawValue)"
        metadata["title"] = "\(finding.title)"
        metadata["detail"] = "\(finding.detail)"
        metadata["advice"] = "\(finding.advice)"
        let level: Logger.Level =
            switch finding.severity {
            case .error: .error
            case .warning: .warning
            case .notice: .notice
            }
        logger.log(level: level, message, metadata: metadata)
    }

    private func logEnd(_ ended: ShownFindings.Shown, _ now: ContinuousClock.Instant) {
        var metadata = Self.metadata(ended.finding)
        metadata["after"] = "\((now - ended.since).secondsText())"
        logger.notice("finding ended", metadata: metadata)
    }

    private static func metadata(_ finding: Finding) -> Logger.Metadata {
        var metadata: Logger.Metadata = ["code": "\(finding.code.rawValue)"]
        switch finding.subject {
        case .process: break
        case .credential(let name): metadata["credential"] = "\(name)"
        case .route(let name): metadata["route"] = "\(name)"
        case .setting(let place): metadata["setting"] = "\(place)"
        }
        return metadata
    }
}
