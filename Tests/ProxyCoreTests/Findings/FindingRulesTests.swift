import Support
import Testing
import TokenManager

@testable import ProxyCore

@Suite("The findings that follow from a state")
struct FindingRulesTests {
    private static let now = ContinuousClock.now
    private static let unixTime: Int64 = 1_800_000_000

    private static func status(
        _ state: CredentialStatus.State, _ kind: TokenError.Kind? = nil, values: Int? = nil, isRequired: Bool = true
    ) -> CredentialStatus {
        CredentialStatus(
            name: "main", state: state, expiresAt: now + .seconds(240),
            lastError: kind.map { TokenError(kind: $0, message: "it failed") }, valueCount: values,
            isRequired: isRequired)
    }

    private static func findings(_ status: CredentialStatus) -> [Finding] {
        FindingRules.credential(status, at: now, unixTime: unixTime)
    }

    @Test(
        "A credential's findings have the code of its last error, and tell failing requests from a failing refresh",
        arguments: [
            (status(.fresh), []), (status(.refreshing), []),
            (status(.empty), ["error credential-unavailable 10"]),
            (status(.fetching), ["error credential-unavailable 10"]),
            (status(.empty, values: 0), []),
            (
                status(.failed, .tokenServerUnreachable),
                ["error token-server-unreachable 0", "error credential-unavailable 10"]
            ),
            (
                status(.failed, .secretUnreadable, isRequired: false),
                ["warning secret-unreadable 0", "warning credential-unavailable 10"]
            ),
            (
                status(.refreshing, .tokenServerRefused(status: 401, oauthError: nil)),
                ["warning token-server-refused 30"]
            ),
            (status(.fresh, .secretUnwritable), ["warning refresh-token-not-written 30"]),
            (status(.failed, .stopped), ["error credential-unavailable 0"]),
        ] as [(CredentialStatus, [String])])
    func credential(_ status: CredentialStatus, _ expected: [String]) {
        let found = Self.findings(status)
        #expect(found.map { "\($0.severity) \($0.code.rawValue) \($0.shownAfter.components.seconds)" } == expected)
        #expect(found.allSatisfy { $0.subject == .credential("main") })
    }

    @Test("The detail says how long an old token serves")
    func detail() {
        #expect(
            Self.findings(Self.status(.fresh, .tokenServerUnreachable)).map(\.detail)
                == ["it failed; Attaché uses the old token for another 240 s"])
        #expect(Self.findings(Self.status(.failed, .tokenServerUnreachable)).first?.detail == "it failed")
    }

    @Test(
        "A certificate is a finding from two weeks before its end",
        arguments: [
            (15 * 86_400, nil, nil), (14 * 86_400, nil, nil), (14 * 86_400 - 1, "certificate-expires-soon", "13 days"),
            (86_400, "certificate-expires-soon", "24 h"), (60, "certificate-expires-soon", "1 min"),
            (0, "certificate-expires-soon", "0 min"), (-1, "certificate-expired", "has expired"),
            (Int64.max, nil, nil),
        ] as [(Int64, String?, String?)])
    func certificate(left: Int64, code: String?, text: String?) {
        let unixTime = left == .max ? -1 : Self.unixTime
        let end = left == .max ? left : unixTime + left
        let found = FindingRules.certificate(from: nil, to: end, of: .route("main"), unixTime: unixTime)
        #expect(found.map(\.code.rawValue) == [code].compactMap(\.self))
        if let text { #expect(found.first?.detail.contains(text) == true) }
        let backend = FindingRules.backendCertificate(endsAt: end, ofRoute: "main", unixTime: unixTime)
        #expect(backend.map(\.code) == (code == nil ? [] : [.backendCertificateExpiresSoon]))
        let tokenServer = FindingRules.serverCertificate(
            "The certificate of https://idp.test:443", endsAt: end, of: .credential("main"), unixTime: unixTime)
        #expect(tokenServer.map(\.code) == (code == nil ? [] : [.tokenServerCertificateExpiresSoon]))
        if let text { #expect(tokenServer.first?.detail.contains("idp.test:443 ") == true, "\(text)") }
    }

    @Test(
        "The findings of a certificate change when it becomes valid, two weeks before its end, and after its end",
        arguments: [
            (10, 3600, 10), (-1, 14 * 86_400 + 60, 61), (-1, 14 * 86_400 - 1, nil), (-1, 3600, 3601), (-1, 0, 1),
            (-1, -1, nil), (90_000, 99_000, nil), (.min, .max, nil),
        ] as [(Int64, Int64, Int64?)])
    func certificateChange(from: Int64, to: Int64, after: Int64?) {
        let start = from == .min ? from : Self.unixTime + from
        let end = to == .max ? to : Self.unixTime + to
        let change = FindingRules.nextChange(from: start, to: end, unixTime: Self.unixTime)
        #expect(change == after.map { .seconds($0) })
        guard let after, to != .max else { return }
        func codes(_ time: Int64) -> [FindingCode] {
            FindingRules.certificate(from: start, to: end, of: .process, unixTime: time).map(\.code)
        }
        #expect(codes(Self.unixTime + after) != codes(Self.unixTime + after - 1))
    }

    @Test("The findings of a credential change when its token ends")
    func tokenEnd() {
        var status = Self.status(.fresh)
        func next() -> ContinuousClock.Instant? {
            FindingRules.nextChange(status, at: Self.now, unixTime: Self.unixTime)
        }
        #expect(next() == Self.now + .seconds(240))
        status.certificateExpiresAt = Self.unixTime + 60
        #expect(next() == Self.now + .seconds(61))
        status = Self.status(.failed, .tokenServerUnreachable)
        #expect(next() == nil)
    }

    @Test("A certificate that is not valid yet is an error, and the cause of the refused token request")
    func earlyCertificate() {
        var status = Self.status(.failed, .tokenServerUnreachable)
        (status.certificateValidFrom, status.certificateExpiresAt) = (Self.unixTime + 1, Self.unixTime + 3600)
        var shown = ShownFindings()
        _ = shown.evaluated(Self.findings(status), at: Self.now)
        #expect(shown.all.map(\.finding.code) == [.certificateNotYetValid])
    }

    @Test("The finding of a drain says whether Attaché still accepts requests")
    func drainDelay() {
        var status = ProcessStatus()
        status.shutdown = .delayed(.seconds(5), waitForIdle: .zero)
        let delayed = FindingRules.process(status)
        #expect(delayed.map(\.code) == [.shuttingDown])
        #expect(delayed.first?.detail.contains("still accepts requests, until 5 s (shutdown.drainDelay)") == true)
        #expect(delayed.first?.detail.contains("waitForIdle") == false)
        status.shutdown = .delayed(.seconds(5), waitForIdle: .seconds(2))
        let early = FindingRules.process(status).first?.detail
        #expect(early?.contains("or until no client has been connected for 2 s (shutdown.waitForIdle)") == true)
        status.shutdown = .delayed(.milliseconds(500), waitForIdle: .milliseconds(1250))
        let short = FindingRules.process(status).first?.detail
        #expect(short?.contains("until 500 ms (shutdown.drainDelay)") == true)
        #expect(short?.contains("for 1250 ms (shutdown.waitForIdle)") == true)
        status.shutdown = .draining
        #expect(FindingRules.process(status).first?.detail.contains("accepts no further requests") == true)
    }

    @Test("A client certificate that has expired is the cause of the refused token request")
    func expiredCertificate() {
        var status = Self.status(.failed, .tokenServerUnreachable)
        status.certificateExpiresAt = Self.unixTime - 1
        var shown = ShownFindings()
        _ = shown.evaluated(Self.findings(status), at: Self.now)
        #expect(shown.all.map(\.finding.code) == [.certificateExpired])
    }

    @Test("Nothing is wrong with a process that serves")
    func process() {
        #expect(FindingRules.process(ProcessStatus()) == [])
    }

    @Test("Each problem of the process is a finding, and the lack of descriptors hides what follows from it")
    func problems() {
        var status = ProcessStatus()
        status.reloadProblem = "a.yaml:1:1: unknown key"
        status.needsRestart = ["workers", "admin"]
        status.descriptorWarning = "too few"
        status.incidents = [.connectionLimitReached: Self.now, .logLinesDropped: Self.now - .seconds(60)]
        var shown = ShownFindings()
        var change = shown.evaluated(FindingRules.process(status), at: Self.now)
        #expect(
            shown.all.map(\.finding.code)
                == [.configurationNotReloaded, .tooManyConnections, .restartNeeded, .descriptorLimitLow])
        #expect(shown.all[0].finding.detail == "The old configuration stays in force. a.yaml:1:1: unknown key")
        #expect(
            shown.all[2].finding.detail
                == "The file has new values for workers, admin, which the running process cannot use.")
        #expect(change.next == Self.now + .seconds(60))
        status.incidents[.descriptorsShort] = Self.now
        change = shown.evaluated(FindingRules.process(status), at: Self.now)
        #expect(shown.all.map(\.finding.code) == [.configurationNotReloaded, .outOfDescriptors, .restartNeeded])
        #expect(change.began.map(\.code) == [.outOfDescriptors])
    }

    @Test("An access log that was not opened again is a warning with the reason")
    func logProblem() {
        var status = ProcessStatus()
        status.logProblem = "cannot open /a for appending: Is a directory"
        let findings = FindingRules.process(status)
        #expect(findings.map(\.code) == [.accessLogNotReopened] && findings.map(\.severity) == [.warning])
        #expect(findings.first?.detail.hasSuffix("removed. cannot open /a for appending: Is a directory.") == true)
    }

    @Test("A drain hides that a credential has no token, but not while Attaché still accepts requests")
    func drain() {
        var status = ProcessStatus()
        status.shutdown = .draining
        var shown = ShownFindings()
        let findings = FindingRules.process(status) + Self.findings(Self.status(.failed, .tokenServerUnreachable))
        _ = shown.evaluated(findings, at: Self.now)
        #expect(shown.all.map(\.finding.code) == [.shuttingDown])
        status.shutdown = .delayed(.seconds(60), waitForIdle: .zero)
        let delayed = FindingRules.process(status) + Self.findings(Self.status(.failed, .tokenServerUnreachable))
        _ = shown.evaluated(delayed, at: Self.now)
        #expect(shown.all.map(\.finding.code) == [.tokenServerUnreachable, .shuttingDown])
    }

    @Test(
        "Every code has a heading on the page Troubleshooting, a title and an advice", arguments: FindingCode.allCases)
    func documented(_ code: FindingCode) throws {
        let page = try #require(DocumentationPage.all.first { $0.name == "Troubleshooting" })
        #expect(page.lines.contains("### \(code.rawValue)"))
        let finding = Finding(code, .warning, "x")
        #expect(finding.documentation == "Troubleshooting.md#\(code.rawValue)")
        #expect(!finding.title.isEmpty && !finding.title.hasSuffix("."))
        #expect(finding.advice.hasSuffix("."))
    }

    @Test("Two codes never have the same title")
    func titles() {
        #expect(Set(FindingCode.allCases.map { Finding($0, .warning, "x").title }).count == FindingCode.allCases.count)
    }
}
