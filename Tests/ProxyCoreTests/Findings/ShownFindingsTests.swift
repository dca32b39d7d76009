import Testing

@testable import ProxyCore

@Suite("Which findings are shown")
struct ShownFindingsTests {
    private let start = ContinuousClock.now

    private func finding(
        _ code: FindingCode, _ severity: Finding.Severity = .error, of subject: Finding.Subject = .process,
        causes: Set<FindingCode> = [], shownAfter: Int = 0, endsAt: ContinuousClock.Instant? = nil
    ) -> Finding {
        var finding = Finding(code, severity, of: subject, "detail")
        finding.causes = causes
        finding.shownAfter = .seconds(shownAfter)
        finding.endsAt = endsAt
        return finding
    }

    @Test("A finding begins once and ends once, however often it is evaluated")
    func once() {
        var shown = ShownFindings()
        let slow = finding(.tokenServerUnreachable)
        #expect(shown.evaluated([slow], at: start) == .init(began: [slow]))
        #expect(shown.evaluated([slow], at: start + .seconds(1)) == .init())
        #expect(shown.all == [.init(slow, since: start)])
        #expect(shown.evaluated([], at: start + .seconds(9)) == .init(ended: [.init(slow, since: start)]))
        #expect(shown.evaluated([], at: start + .seconds(9)) == .init())
        #expect(shown.all == [])
    }

    @Test("A finding is shown when it has lasted long enough, and not if it ends before")
    func shownAfter() {
        var shown = ShownFindings()
        let short = finding(.credentialUnavailable, shownAfter: 10)
        #expect(shown.evaluated([short], at: start) == .init(next: start + .seconds(10)))
        #expect(shown.all == [])
        #expect(shown.evaluated([], at: start + .seconds(5)) == .init())
        #expect(shown.evaluated([short], at: start + .seconds(6)) == .init(next: start + .seconds(16)))
        #expect(shown.evaluated([short], at: start + .seconds(16)) == .init(began: [short]))
        #expect(shown.all == [.init(short, since: start + .seconds(16))])
    }

    @Test("A finding that becomes worse is one of the changes, and still the same finding")
    func worsened() {
        var shown = ShownFindings()
        let weak = finding(.certificateExpired, .warning)
        let strong = finding(.certificateExpired, .error)
        #expect(shown.evaluated([weak], at: start) == .init(began: [weak]))
        #expect(shown.evaluated([strong], at: start + .seconds(9)) == .init(worsened: [strong]))
        #expect(shown.all == [.init(strong, since: start)])
        #expect(shown.evaluated([strong], at: start + .seconds(10)) == .init())
    }

    @Test("A subject has a finding as soon as one is present, shown or not")
    func concerns() {
        var shown = ShownFindings()
        _ = shown.evaluated([finding(.credentialUnavailable, of: .credential("a"), shownAfter: 10)], at: start)
        #expect(shown.concerns(.credential("a")))
        #expect(!shown.concerns(.credential("b")))
        #expect(!shown.concerns(.route("a")))
        _ = shown.evaluated([], at: start)
        #expect(!shown.concerns(.credential("a")))
    }

    @Test("A cause hides its symptom, for the same subject or if it concerns the process")
    func causes() {
        let symptom = finding(.credentialUnavailable, of: .credential("a"), causes: [.tokenServerUnreachable])
        let cause = finding(.tokenServerUnreachable, of: .credential("a"))
        let others = finding(.tokenServerUnreachable, of: .credential("b"))
        let general = finding(.tokenServerUnreachable)
        var shown = ShownFindings()
        _ = shown.evaluated([symptom, others], at: start)
        #expect(shown.all.map(\.finding) == [symptom, others])
        #expect(
            shown.evaluated([symptom, cause], at: start)
                == .init(began: [cause], ended: [.init(symptom, since: start), .init(others, since: start)]))
        _ = shown.evaluated([symptom, general], at: start)
        #expect(shown.all.map(\.finding) == [general])
        _ = shown.evaluated([symptom], at: start)
        #expect(shown.all.map(\.finding) == [symptom])
    }

    @Test("A cause that is not shown yet hides its symptom already")
    func waitingCause() {
        var shown = ShownFindings()
        let symptom = finding(.credentialUnavailable, causes: [.outOfDescriptors])
        let cause = finding(.outOfDescriptors, shownAfter: 5)
        #expect(shown.evaluated([symptom, cause], at: start) == .init(next: start + .seconds(5)))
        #expect(shown.all == [])
    }

    @Test("A finding of one moment ends by itself")
    func moment() {
        var shown = ShownFindings()
        let end = start + .seconds(60)
        let moment = finding(.logLinesDropped, endsAt: end)
        #expect(shown.evaluated([moment], at: start) == .init(began: [moment], next: end))
        #expect(shown.evaluated([moment], at: end) == .init(ended: [.init(moment, since: start)]))
    }

    @Test("Errors come first, one finding of each code and subject stays, and its newest text is shown")
    func order() {
        var shown = ShownFindings()
        let notice = finding(.shuttingDown, .notice)
        let weak = finding(.certificateExpired, .warning)
        let strong = finding(.certificateExpired, .error)
        _ = shown.evaluated([notice, weak, strong], at: start)
        #expect(shown.all.map(\.finding) == [strong, notice])
        let change = shown.evaluated([notice, weak], at: start + .seconds(1))
        #expect(change == .init())
        #expect(shown.all == [.init(weak, since: start), .init(notice, since: start)])
    }
}
