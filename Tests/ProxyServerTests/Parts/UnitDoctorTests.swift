import ProxyCore
import Testing

@testable import ProxyServer

@Suite("What an examination's steps say")
struct UnitDoctorTests {
    @Test(
        "A clock that is off by more than a minute is a warning, and by more than five an error",
        arguments: [
            (0, "agrees with", nil), (3, "is 3 s later than", nil), (-59.6, "is 60 s earlier than", nil),
            (61, "is 61 s later than", .warning), (-300, "is 5 min earlier than", .warning),
            (3600, "is 60 min later than", .error), (-7300, "is 2 h earlier than", .error),
            (9.3e18, "is more than 1000 days later than", .error),
            (-1e300, "is more than 1000 days earlier than", .error),
            (.infinity, "is more than 1000 days later than", .error),
        ] as [(Double, String, Finding.Severity?)])
    func clock(difference: Double, text: String, severity: Finding.Severity?) {
        let reading = ClockReading(
            subject: .credential("main"), server: "http://s.test", source: "Date", difference: difference)
        #expect(reading.check.detail == "its Date \(text) this machine's clock")
        #expect(reading.check.result == (severity == nil ? .passed : .failed))
        let finding = ClockReading.findings([reading]).first
        #expect(finding?.severity == severity)
        #expect(finding?.code == (severity == nil ? nil : .clockDiffers))
        let expected = "The Date of http://s.test \(text) this machine's clock. One of the two clocks is wrong."
        #expect(finding?.detail == (severity == nil ? nil : expected))
    }

    @Test("A finding about a clock names a server that agrees with one of the two")
    func witnesses() {
        func reading(_ server: String, _ difference: Double, of subject: Finding.Subject) -> ClockReading {
            ClockReading(subject: subject, server: server, source: "Date", difference: difference)
        }
        let token = reading("http://t.test", 3600, of: .credential("main"))
        let right = ClockReading.findings([token, reading("http://b.test", 0, of: .route("r"))])
        #expect(right.map(\.detail).first?.hasSuffix("wrong. http://b.test agrees with this machine.") == true)
        let wrong = ClockReading.findings([token, reading("http://b.test", 3590, of: .route("r"))])
        #expect(wrong.map(\.severity) == [.error, .warning])
        #expect(wrong.map(\.detail).first?.hasSuffix("wrong. http://b.test agrees with that time.") == true)
        #expect(wrong.map(\.detail).last?.hasSuffix("wrong. http://t.test agrees with that time.") == true)
    }

    @Test(
        "Statuses without and with the credential say whether the backend accepts the token",
        arguments: [
            (401, 200, []), (200, 200, ["notice backend-open"]), (401, 401, ["error backend-refuses-token"]),
            (nil, 401, ["error backend-refuses-token"]), (401, 403, ["error backend-denies-access"]),
            (403, 403, ["warning backend-denies-access"]), (nil, 403, ["error backend-denies-access"]), (401, 404, []),
            (404, 404, ["notice token-not-tested"]), (302, 302, ["notice token-not-tested"]),
            (nil, 400, ["notice token-not-tested"]), (404, 302, []), (401, 302, []),
            (401, 503, ["warning backend-fails"]), (401, nil, []),
        ] as [(Int?, Int?, [String])])
    func backend(without: Int?, with: Int?, expected: [String]) {
        let found = DoctorRules.backend(
            without: without, with: with, challenge: "Bearer error=\"invalid_token\"", credential: "main", route: "r")
        #expect(found.map { "\($0.severity) \($0.code.rawValue)" } == expected)
        for finding in found {
            #expect(finding.subject == .route("r"))
            let isForAll = without == 403 && with == 403
            if let without {
                let words = isForAll ? "answers 403 with and without the token" : "and \(without) without it"
                #expect(finding.detail.contains(words))
            }
        }
        if with == 401 { #expect(found.first?.detail.contains("invalid_token") == true) }
    }

    @Test("Of a JWT it shows issuer, audience, scope and times, and never the rest")
    func claims() {
        // {"alg":"none"} and {"iss":"https://idp.test","aud":"orders","sub":"canary","exp":2000000000,"iat":1999996400}
        let payload =
            "eyJpc3MiOiJodHRwczovL2lkcC50ZXN0IiwiYXVkIjoib3JkZXJzIiwic3ViIjoiY2FuYXJ5IiwiZXhwIjoyMDAwMDAwMDAwLCJpYXQiOjE5OTk5OTY0MDB9"
        let token = "eyJhbGciOiJub25lIn0.\(payload).canary"
        #expect(
            DoctorRules.claims(of: token)
                == "a JWT (none), iss \"https://idp.test\", aud \"orders\", iat 2033-05-18T02:33:20Z, exp 2033-05-18T03:33:20Z"
        )
        #expect(DoctorRules.issueTime(of: token) == 1_999_996_400)
        #expect(DoctorRules.claims(of: "canary") == "opaque, 6 characters")
        #expect(DoctorRules.issueTime(of: "canary") == nil)
    }

    @Test(
        "The time of issue in a token may be any number",
        arguments: [
            ("eyJpYXQiOjkuM2UxOH0", 9.3e18), ("eyJpYXQiOjFlMTl9", 1e19), ("eyJpYXQiOjFlMzAwfQ", 1e300),
            ("eyJpYXQiOi0xZTMwMH0", -1e300),
        ])
    func hugeIssueTime(payload: String, expected: Double) throws {
        let token = "eyJhbGciOiJub25lIn0.\(payload).canary"
        let issued = try #require(DoctorRules.issueTime(of: token))
        #expect(issued == expected)
        #expect(DoctorRules.claims(of: token).hasPrefix("a JWT (none), iat "))
        let reading = ClockReading(
            subject: .credential("main"), server: "", source: "iat", difference: issued - 1.8e9)
        #expect(reading.check.detail.contains("more than 1000 days"))
    }

    @Test("The report shows each server once, each step with its mark, and what to do")
    func text() {
        let subject = Finding.Subject.route("r")
        let checks = [
            DoctorCheck(subject: .process, step: .configuration, result: .passed, detail: "ok"),
            DoctorCheck(
                subject: subject, server: "http://b.test:80", step: .name, result: .passed, detail: "b.test: 1.2.3.4"),
            DoctorCheck(
                subject: subject, server: "http://b.test:80", step: .connection, result: .failed, detail: "refused"),
        ]
        let report = DoctorReport(
            checks: checks, findings: [Finding(.connectionRefused, .error, of: subject, "refused")])
        #expect(
            report.lines == [
                "  ✓ configuration       ok", "route r, http://b.test:80", "  ✓ name                b.test: 1.2.3.4",
                "  ✗ connection          refused", "",
                "error connection-refused: route r: The server refuses connections",
                "  refused",
                "  What to do: Check the port, and whether the server runs. See Troubleshooting.md#connection-refused",
            ])
        #expect(!report.isWell)
        let well = DoctorReport(checks: [checks[0]], findings: [])
        #expect(well.lines.last == "ok: no findings")
        #expect(well.isWell)
    }

    @Test(
        "The report holds no character that a terminal executes",
        arguments: ["\u{9b}", "\u{1b}", "\u{202e}", "\t", "\n"])
    func printable(_ character: String) {
        let check = DoctorCheck(subject: .process, step: .configuration, result: .failed, detail: "a\(character)b")
        let report = DoctorReport(
            checks: [check], findings: [Finding(.tlsFailed, .error, of: .process, "c\(character)d")])
        #expect(report.checks.map(\.detail) == ["a\u{fffd}b"])
        #expect(report.findings.map(\.detail) == ["c\u{fffd}d"])
    }

    @Test("A refusal without a challenge says so")
    func noChallenge() {
        let found = DoctorRules.backend(without: 401, with: 401, challenge: nil, credential: "main", route: "r")
        #expect(found.first?.detail.hasSuffix(" and 401 without it. It has no WWW-Authenticate.") == true)
    }

    @Test("A failed step explains the token request that failed for it")
    func cause() {
        let subject = Finding.Subject.credential("main")
        var symptom = Finding(.tokenServerUnreachable, .error, of: subject, "no answer")
        symptom.causes = FindingCode.connectionFailures
        let cause = Finding(.certificateRefused, .error, of: subject, "not trusted")
        #expect(DoctorReport(checks: [], findings: [cause, symptom]).findings == [cause])
        var open = cause
        open.hidesSymptoms = false
        #expect(DoctorReport(checks: [], findings: [open, symptom]).findings == [open, symptom])
    }

    @Test(
        "The request to the backends changes nothing and fits into a request line",
        arguments: [
            ("GET", "/", true), ("HEAD", "/a?b=c%20d", true), ("POST", "/", false), ("get", "/", false),
            ("GET", "", false), ("GET", "a", false), ("GET", "/a b", false), ("GET", "/a\r\nX: y", false),
            ("GET", "/ä", false), ("GET", "/a#b", false),
        ])
    func request(method: String, path: String, isUsable: Bool) {
        #expect(((try? Doctor.Request(method: method, path: path)) != nil) == isUsable)
    }
}
