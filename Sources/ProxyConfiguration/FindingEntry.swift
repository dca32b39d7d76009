private import FoundationEssentials
package import ProxyCore

/// A finding as JSON; keys are only added, never renamed.
package struct FindingEntry: Encodable, Sendable {
    let code: String
    let severity: String
    let title: String
    let detail: String
    let advice: String
    let documentation: String
    var credential: String?
    var route: String?
    var setting: String?
    /// When it began to be shown (RFC 3339); nil if it was found in one moment.
    let since: String?

    package init(_ finding: Finding, since: String? = nil) {
        code = finding.code.rawValue
        severity = finding.severity.rawValue
        title = finding.title
        detail = finding.detail
        advice = finding.advice
        documentation = finding.documentation
        self.since = since
        switch finding.subject {
        case .process: break
        case .credential(let name): credential = name
        case .route(let name): route = name
        case .setting(let place): setting = place
        }
    }
}

/// The JSON form of all findings.
package struct FindingsReport: Encodable {
    /// Increases when a key changes its meaning.
    package let version = 1
    package let findings: [FindingEntry]

    package init(_ findings: [FindingEntry]) { self.findings = findings }

    /// One object, with its keys in alphabetical order.
    package var json: String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        guard let bytes = try? encoder.encode(self) else { preconditionFailure("texts and numbers are always JSON") }
        return String(decoding: bytes, as: UTF8.self)
    }
}

extension Finding {
    /// A warning about the configuration.
    package init(_ warning: Problem) {
        guard let code = warning.code else { preconditionFailure("a warning has no code") }
        var place = Problem(
            file: warning.file, line: warning.line, column: warning.column, path: warning.path, message: ""
        ).description
        if place.isEmpty { place = "the configuration" }
        self.init(code, .warning, of: .setting(place), warning.message)
    }
}
