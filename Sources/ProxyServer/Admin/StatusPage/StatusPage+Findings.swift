import ProxyCore

/// The findings on the status page, before everything else.
extension StatusPage {
    var findingSection: HTML {
        guard !findings.isEmpty else { return "<p class=\"quiet\">No findings: Attaché has found no problem.</p>" }
        return """
            <h2>Findings <small>\(findings.count)</small></h2>
            <div class="findings">\(findings.map(card))</div>
            """
    }

    private func card(_ shown: ShownFindings.Shown) -> HTML {
        let finding = shown.finding
        let (pill, border): (HTML, HTML) =
            switch finding.severity {
            case .error: ("bad", "finding")
            case .warning: ("fair", "finding warn")
            case .notice: ("idle", "finding note")
            }
        let severity = finding.severity.rawValue
        let subject: HTML =
            finding.subject == .process ? "" : " <span class=\"quiet\">\(finding.subject.description)</span>"
        return """
            <article class="card \(border)" data-code="\(finding.code.rawValue)">
            <div class="head"><h3>\(finding.title)\(subject)</h3><span class="pill \(pill)">\(severity)</span></div>
            <p>\(finding.detail)</p>
            <p><strong>What to do:</strong> \(finding.advice)</p>
            <p class="quiet">\(finding.code.rawValue), for \(Figure.duration(moment.now - shown.since)); see \(finding.documentation)</p>
            </article>
            """
    }
}
