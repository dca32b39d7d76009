/// Which findings are shown: those that have lasted long enough, and whose cause is not a finding itself.
///
/// Confined to its owner, who evaluates when somebody asks, when a state changes, and at `next`.
package struct ShownFindings {
    /// A finding that is shown, and since when.
    package struct Shown: Equatable, Sendable {
        package let finding: Finding
        package let since: ContinuousClock.Instant

        package init(_ finding: Finding, since: ContinuousClock.Instant) {
            self.finding = finding
            self.since = since
        }
    }

    /// What an evaluation changed.
    package struct Change: Equatable, Sendable {
        /// The findings that are shown from now on.
        package var began: [Finding] = []
        /// The findings that were shown before with a lower severity.
        package var worsened: [Finding] = []
        /// The findings that are shown no more, each with the time that it was shown.
        package var ended: [Shown] = []
        /// When something changes if nothing happens until then; nil if nothing does.
        package var next: ContinuousClock.Instant?
    }

    /// When each present finding was first present.
    private var presentSince: [Finding.Key: ContinuousClock.Instant] = [:]
    /// The shown findings: errors first, then in the order in which they were given.
    package private(set) var all: [Shown] = []

    package init() {}

    /// Whether a subject had a finding at the last evaluation, shown or not.
    package func concerns(_ subject: Finding.Subject) -> Bool {
        presentSince.keys.contains { $0.subject == subject }
    }

    /// These findings are present now.
    package mutating func evaluated(_ findings: [Finding], at now: ContinuousClock.Instant) -> Change {
        let present = Self.distinct(findings.filter { $0.endsAt.map { $0 > now } ?? true })
        presentSince = Dictionary(
            present.map { ($0.key, presentSince[$0.key] ?? now) }, uniquingKeysWith: { first, _ in first })
        let keys = Set(present.filter(\.hidesSymptoms).map(\.key))
        let unexplained = present.filter { !$0.isExplained(by: keys) }
        let old = Dictionary(all.map { ($0.finding.key, $0) }, uniquingKeysWith: { first, _ in first })
        var change = Change()
        var shown: [Shown] = []
        var instants = present.compactMap(\.endsAt)
        for finding in unexplained {
            let visibleAt = (presentSince[finding.key] ?? now) + finding.shownAfter
            if let known = old[finding.key] {
                if finding.severity > known.finding.severity { change.worsened.append(finding) }
                shown.append(Shown(finding, since: known.since))
            } else if visibleAt <= now {
                shown.append(Shown(finding, since: now))
                change.began.append(finding)
            } else {
                instants.append(visibleAt)
            }
        }
        let shownKeys = Set(shown.map(\.finding.key))
        change.ended = all.filter { !shownKeys.contains($0.finding.key) }
        change.next = instants.min()
        all = [.error, .warning, .notice].flatMap { severity in shown.filter { $0.finding.severity == severity } }
        return change
    }

    /// The findings without repetitions; of two with one key, the more severe one.
    private static func distinct(_ findings: [Finding]) -> [Finding] {
        var kept: [Finding] = []
        var indices: [Finding.Key: Int] = [:]
        for finding in findings {
            if let index = indices[finding.key] {
                if finding.severity > kept[index].severity { kept[index] = finding }
            } else {
                indices[finding.key] = kept.count
                kept.append(finding)
            }
        }
        return kept
    }
}
