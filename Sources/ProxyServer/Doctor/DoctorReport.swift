import ProxyCore

/// What an examination found: its steps, and the findings that follow from them.
package struct DoctorReport: Sendable {
    var checks: [DoctorCheck]
    /// The findings that are shown, errors first.
    var findings: [Finding]

    /// Why the report is not complete; nil if it is.
    package let endedBy: String?

    init(checks: [DoctorCheck], findings: [Finding], endedBy: String? = nil) {
        self.endedBy = endedBy
        self.checks = checks.map { check in
            var check = check
            check.detail = Self.printable(check.detail)
            return check
        }
        var shown = ShownFindings()
        let immediate = findings.map { finding in
            var shown = finding
            (shown.detail, shown.shownAfter) = (Self.printable(finding.detail), .zero)
            return shown
        }
        _ = shown.evaluated(immediate, at: .now)
        self.findings = shown.all.map(\.finding)
    }

    /// A text of which a terminal executes and reorders nothing: it may quote a server.
    private static func printable(_ text: String) -> String {
        text.unicodeScalars.reduce(into: "") { out, scalar in
            switch scalar.properties.generalCategory {
            case .control, .format, .lineSeparator, .paragraphSeparator: out += "\u{fffd}"
            default: out.unicodeScalars.append(scalar)
            }
        }
    }

    /// Whether the report is complete and no finding is an error.
    package var isWell: Bool { endedBy == nil && !findings.contains { $0.severity == .error } }
}
