import ProxyConfiguration
import ProxyCore

/// The findings of one moment, for the pages of the admin listener.
struct FindingsPage {
    let shown: [ShownFindings.Shown]
    let now: ContinuousClock.Instant
    /// The same moment in seconds since 1970.
    let unixTime: Double

    static let none = FindingsPage(shown: [], now: .now, unixTime: 0)

    /// The page `/findings`.
    var json: String {
        let entries = shown.map { shown in
            let age = (now - shown.since).components
            let second = unixTime - Double(age.seconds) - Double(age.attoseconds) / 1e18
            return FindingEntry(shown.finding, since: TimestampClock.text(ofSecond: second))
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
