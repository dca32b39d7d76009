/// Something that is wrong, worded so that a person can act on it; it holds no secret and no token.
///
/// The same finding with the same code stands in `check`, on the admin listener, in the log and in the metrics.
package struct Finding: Equatable, Sendable {
    /// How much a finding matters.
    package enum Severity: String, Sendable, Comparable {
        /// Nothing fails, and somebody should know.
        case notice
        /// Nothing fails yet.
        case warning
        /// Requests fail, or the configuration on disk is not the one in force.
        case error

        package static func < (left: Severity, right: Severity) -> Bool { left.rank < right.rank }

        private var rank: Int {
            switch self {
            case .notice: 0
            case .warning: 1
            case .error: 2
            }
        }
    }

    /// What a finding is about.
    package enum Subject: Hashable, Sendable {
        /// Attaché itself.
        case process
        case credential(String)
        case route(String)
        /// The place of a setting, such as `attache.yaml:3:5: routes[0]`.
        case setting(String)
    }

    /// Two findings with one key are the same finding, at different times.
    package struct Key: Hashable, Sendable {
        package let code: FindingCode
        package let subject: Subject
    }

    package let code: FindingCode
    package let subject: Subject
    package var severity: Severity
    /// What is wrong here, with names and numbers; at most about 1000 characters.
    package var detail: String
    /// The codes of the causes that explain this finding; one of them for the same subject, or for the process, hides it.
    package var causes: Set<FindingCode> = []
    /// Whether it hides the findings of which it is a cause.
    package var hidesSymptoms = true
    /// For how long the finding must last before it is shown.
    package var shownAfter: Duration = .zero
    /// When it ends if nothing happens; nil if it lasts until something happens.
    package var endsAt: ContinuousClock.Instant?

    package init(_ code: FindingCode, _ severity: Severity, of subject: Subject = .process, _ detail: String) {
        self.code = code
        self.subject = subject
        self.severity = severity
        self.detail = DetailText.shortened(detail)
    }

    package var key: Key { Key(code: code, subject: subject) }

    /// What is wrong, in a few words.
    package var title: String { code.title }

    /// What to do.
    package var advice: String { code.advice }

    /// The page and heading that explain the finding, as in the `type` of an error response.
    package var documentation: String { code.documentation }

    /// Whether one of these findings is a cause of this one.
    func isExplained(by keys: Set<Key>) -> Bool {
        causes.contains { cause in
            cause != code && [subject, .process].contains { keys.contains(Key(code: cause, subject: $0)) }
        }
    }
}

extension Finding.Subject: CustomStringConvertible {
    /// The subject for people; empty for the process.
    package var description: String {
        switch self {
        case .process: ""
        case .credential(let name): "credential \(name)"
        case .route(let name): "route \(name)"
        case .setting(let place): place
        }
    }
}
