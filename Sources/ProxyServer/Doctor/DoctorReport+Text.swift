import FoundationEssentials
import ProxyConfiguration
import ProxyCore

/// The report for people, as lines.
extension DoctorReport {
    private static let indent = "  "
    /// The width of the column of steps.
    private static let stepWidth = 20

    package var lines: [String] {
        var lines: [String] = []
        var heading = ""
        for check in checks {
            let subject = check.subject == .process ? "" : "\(check.subject)"
            let new = [subject, check.server].filter { !$0.isEmpty }.joined(separator: ", ")
            if new != heading, !new.isEmpty { lines.append(new) }
            heading = new
            let step = check.step.title
            let space = String(repeating: " ", count: max(1, Self.stepWidth - step.count))
            lines.append("\(Self.indent)\(check.result.mark) \(step)\(space)\(check.detail)")
        }
        guard !findings.isEmpty else { return endedBy == nil ? lines + ["", "ok: no findings"] : lines }
        for finding in findings {
            let subject = finding.subject == .process ? "" : "\(finding.subject): "
            lines += [
                "", "\(finding.severity.rawValue) \(finding.code.rawValue): \(subject)\(finding.title)",
                "\(Self.indent)\(finding.detail)",
                "\(Self.indent)What to do: \(finding.advice) See \(finding.documentation)",
            ]
        }
        return lines
    }
}

/// The report as JSON; it holds no secret and no token, so that it may be shown to others.
extension DoctorReport {
    private struct Object: Encodable {
        /// Increases when a key changes its meaning.
        let version = 1
        let attache: String
        /// Whether the exit code is 0.
        let ok: Bool
        /// Whether every step was tried; false if a signal ended the examination.
        let complete: Bool
        let checks: [Entry]
        let findings: [FindingEntry]
    }

    private struct Entry: Encodable {
        var credential: String?
        var route: String?
        var server: String?
        let step: String
        let result: String
        let detail: String

        init(_ check: DoctorCheck) {
            if case .credential(let name) = check.subject { credential = name }
            if case .route(let name) = check.subject { route = name }
            server = check.server.isEmpty ? nil : check.server
            step = check.step.rawValue
            result = check.result.rawValue
            detail = check.detail
        }
    }

    package var json: String {
        let object = Object(
            attache: "\(ProgramVersion.number)", ok: isWell, complete: endedBy == nil, checks: checks.map(Entry.init),
            findings: findings.map { FindingEntry($0) })
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        guard let bytes = try? encoder.encode(object) else { preconditionFailure("texts are always JSON") }
        return String(decoding: bytes, as: UTF8.self)
    }
}
