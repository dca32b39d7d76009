import ProxyConfiguration
import ProxyCore

/// The findings of one moment, for the pages of the admin listener.
struct FindingsPage {
    let shown: [ShownFindings.Shown]
    let moment: AdminMoment

    /// The page `/findings`.
    var json: String {
        let entries = shown.map { shown in
            FindingEntry(shown.finding, since: moment.time(of: shown.since))
        }
        return FindingsReport(entries).json + "\n"
    }

    /// The lines of `/readyz`, one for each finding; the details stand on `/findings`.
    var lines: [String] {
        shown.map { shown in
            let finding = shown.finding
            let subject = finding.subject == .process ? "" : "\(finding.subject): "
            return "finding \(finding.code.rawValue): \(finding.severity.rawValue): \(subject)\(finding.title)"
        }
    }
}
