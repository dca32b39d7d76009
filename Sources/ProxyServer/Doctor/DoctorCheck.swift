import ProxyCore

/// One step of an examination, and how it ended.
struct DoctorCheck: Sendable, Equatable {
    /// What a step tries.
    enum Step: String, Sendable {
        case configuration, name, connection, tls, token, clock, withoutCredential, withCredential

        /// The step for people.
        var title: String {
            switch self {
            case .configuration: "configuration"
            case .name: "name"
            case .connection: "connection"
            case .tls: "TLS"
            case .token: "token"
            case .clock: "clock"
            case .withoutCredential: "without credential"
            case .withCredential: "with credential"
            }
        }
    }

    /// How a step ended.
    enum Result: String, Sendable {
        case passed, failed, skipped

        var mark: String {
            switch self {
            case .passed: "✓"
            case .failed: "✗"
            case .skipped: "–"
            }
        }
    }

    var subject: Finding.Subject
    /// The server that the step is about; empty for the configuration.
    var server = ""
    var step: Step
    var result: Result
    var detail: String
}
