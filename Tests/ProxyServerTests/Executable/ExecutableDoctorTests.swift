import FoundationEssentials
import Glibc
import Support
import Testing

@Suite("attache doctor")
struct ExecutableDoctorTests {
    /// What `--json` prints.
    private struct Report: Decodable {
        struct Check: Decodable {
            let step, result, detail: String
            var credential, route, server: String?
        }

        struct Entry: Decodable {
            let code, severity, detail: String
            var credential, route: String?
        }

        let version: Int
        let ok: Bool
        let checks: [Check]
        let findings: [Entry]

        var codes: [String] { findings.map(\.code) }

        /// The steps of a credential or route with their results.
        func steps(of subject: String) -> [String] {
            checks.filter { ($0.credential ?? $0.route) == subject }.map { "\($0.step) \($0.result)" }
        }
    }

    /// Accepts the tokens of an endpoint, and no request without one.
    private static func backend(_ tokens: FakeTokenEndpoint, refusing status: Int = 401) throws -> ScriptedServer {
        try ScriptedServer(answering: { request in
            let isGood = tokens.tokens.contains { request.fields["Authorization"] == "Bearer \($0)" }
            return isGood ? Scripts.response("ok") : "HTTP/1.1 \(status) No\r\nContent-Length: 0\r\n\r\n"
        })
    }

    private static func yaml(
        tokenURL: String, upstream: String, credential: String = "", route: String = ""
    ) -> String {
        """
        credentials:
          main: { type: clientCredentials, tokenUrl: "\(tokenURL)", clientId: my-app, clientSecret: canary-secret-0451\(credential) }
        routes:
          - { name: orders, match: { host: orders.test }, upstream: "\(upstream)", credential: main\(route) }

        """
    }

    private static func run(_ yaml: String, _ arguments: [String] = []) throws -> (code: Int32, output: String) {
        let directory = try TemporaryDirectory()
        defer { directory.remove() }
        let file = try directory.write(yaml, to: "attache.yaml")
        let process = try ChildProcess(ExecutableUnderTest.path, ["doctor", file] + arguments, in: directory)
        defer { process.kill() }
        guard case .exited(let code) = try process.waitForEnd() else {
            Issue.record("a signal ended it: \(process.errors)")
            return (-1, "")
        }
        #expect(!(process.output + process.errors).contains("canary"), "\(process.output)")
        #expect(process.errors.isEmpty, "\(process.errors)")
        return (code, process.output)
    }

    private static func report(_ yaml: String, _ arguments: [String] = [], code expected: Int32) throws -> Report {
        let result = try run(yaml, ["--json"] + arguments)
        let report = try JSONDecoder().decode(Report.self, from: Data(result.output.utf8))
        #expect(result.code == expected, "\(result.output)")
        #expect(report.ok == (expected == 0))
        #expect(report.version == 1)
        return report
    }

    @Test("If all is well, every step has a tick, and the backend gets a request without and one with the credential")
    func well() throws {
        let tokens = try FakeTokenEndpoint()
        let backend = try Self.backend(tokens)
        defer {
            tokens.stop()
            backend.stop()
        }
        let yaml = Self.yaml(tokenURL: tokens.url, upstream: backend.url)
        let report = try Self.report(yaml, ["--path", "/items?a=b", "--method", "HEAD"], code: 0)
        #expect(report.codes == [])
        #expect(report.steps(of: "main") == ["name passed", "connection passed", "token passed"])
        #expect(
            report.steps(of: "orders")
                == ["name passed", "connection passed", "withoutCredential passed", "withCredential passed"])
        #expect(backend.requests.map(\.target) == ["/items?a=b", "/items?a=b"])
        #expect(backend.requests.allSatisfy { $0.method == "HEAD" })
        let text = try Self.run(yaml)
        #expect(text.code == 0)
        #expect(text.output.contains("  ✓ with credential     200 for GET /\n"))
        #expect(text.output.hasSuffix("ok: no findings\n"))
    }

    @Test("A wrong secret is a refusal by the token server, and the backend is tried without a token only")
    func wrongSecret() throws {
        let tokens = try FakeTokenEndpoint(then: .status(401, "{\"error\":\"invalid_client\"}"))
        let backend = try Self.backend(tokens)
        defer {
            tokens.stop()
            backend.stop()
        }
        let report = try Self.report(Self.yaml(tokenURL: tokens.url, upstream: backend.url), code: 1)
        #expect(report.codes == ["token-server-refused"])
        #expect(report.findings.first?.detail.contains("invalid_client") == true)
        #expect(report.steps(of: "main") == ["name passed", "connection passed", "token failed"])
        #expect(report.steps(of: "orders").suffix(2) == ["withoutCredential passed", "withCredential skipped"])
        #expect(backend.requests.count == 1)
    }

    @Test(
        "A certificate of an unknown authority, an expired one and one for another name are refused with the reason",
        arguments: [
            (TestCertificates.shared.unknown, "is not trusted: "),
            (TestCertificates.shared.expired, "certificate has expired"),
            (TestCertificates.shared.badHost, "is for another name"),
        ])
    func certificate(identity: TestCertificates.Identity, words: String) throws {
        let tokens = try FakeTokenEndpoint()
        let server = TLSTestServer(identity: identity) { stream in while stream.read().isEmpty == false {} }
        defer {
            tokens.stop()
            server.stop()
        }
        let trust = ", tls: { caFile: \"\(TestCertificates.shared.caFile)\" }"
        let secure = "https://localhost:\(server.port)"
        let ofBackend = try Self.report(
            Self.yaml(tokenURL: tokens.url, upstream: secure, route: trust), code: 1)
        #expect(ofBackend.codes == ["certificate-refused"])
        #expect(ofBackend.findings.first?.route == "orders")
        #expect(ofBackend.findings.first?.detail.contains(words) == true, "\(ofBackend.findings)")
        #expect(ofBackend.steps(of: "orders") == ["name passed", "connection passed", "tls failed"])
        let ofTokenServer = try Self.report(
            Self.yaml(tokenURL: secure + "/token", upstream: "http://127.0.0.1:9", credential: trust), code: 1)
        let credential = ofTokenServer.findings.filter { $0.credential == "main" }
        #expect(credential.map(\.code) == ["certificate-refused"])
        #expect(credential.first?.detail.contains(words) == true, "\(credential)")
    }

    @Test("A trusted certificate has a tick, and the days that are left")
    func goodCertificate() throws {
        let tokens = try FakeTokenEndpoint()
        let backend = TLSBackend()
        defer {
            tokens.stop()
            backend.stop()
        }
        let yaml = Self.yaml(
            tokenURL: tokens.url, upstream: "https://localhost:\(backend.port)",
            route: ", tls: { caFile: \"\(TestCertificates.shared.caFile)\" }")
        let report = try Self.report(yaml, code: 0)
        let check = try #require(report.checks.first { $0.step == "tls" })
        #expect(check.detail.hasPrefix("the certificate is trusted and is for localhost; expires in "))
    }

    @Test("A refused connection to the token server explains that no token is there")
    func refusedConnection() throws {
        let closed = try ClosedPort()
        defer { closed.release() }
        let place = "http://127.0.0.1:\(closed.number)"
        let report = try Self.report(Self.yaml(tokenURL: place + "/token", upstream: place), code: 1)
        #expect(report.codes == ["connection-refused", "connection-refused"])
        #expect(report.findings.map { $0.credential ?? $0.route } == ["main", "orders"])
        #expect(report.steps(of: "main") == ["name passed", "connection failed", "token failed"])
        #expect(report.steps(of: "orders") == ["name passed", "connection failed"])
    }

    @Test("A Date of the token server that is an hour away is reported as clock-differs", arguments: [3600, -3600])
    func clock(shift: Int) throws {
        let date = Self.date(shift)
        let answer = "{\"access_token\":\"canary-1\",\"expires_in\":3600}"
        let tokens = try FakeTokenEndpoint(then: .status(200, fields: "Date: \(date)\r\n", answer))
        let backend = try ScriptedServer(Scripts.ok)
        defer {
            tokens.stop()
            backend.stop()
        }
        let report = try Self.report(Self.yaml(tokenURL: tokens.url, upstream: backend.url), code: 1)
        #expect(report.codes == ["clock-differs", "backend-open"])
        let direction = shift > 0 ? "later" : "earlier"
        #expect(report.findings.first?.detail.contains(" min \(direction)") == true, "\(report.findings)")
        #expect(report.steps(of: "main") == ["name passed", "connection passed", "clock failed", "token passed"])
    }

    /// A date in the form of HTTP, seconds from now.
    private static func date(_ seconds: Int) -> String {
        let date = Date(timeIntervalSinceNow: Double(seconds))
        let text = Array(date.formatted(.iso8601))
        let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
        let month = months[(Int(String(text[5...6])) ?? 1) - 1]
        return "Mon, \(String(text[8...9])) \(month) \(String(text[0...3])) \(String(text[11...18])) GMT"
    }

    @Test(
        "A backend that refuses the token, or knows it and denies access, gets a code of its own",
        arguments: [401, 403])
    func refused(status: Int) throws {
        let tokens = try FakeTokenEndpoint()
        let challenge = "WWW-Authenticate: Bearer error=\"insufficient_scope\"\r\n"
        let backend = try ScriptedServer(answering: { request in
            let code = request.fields["Authorization"] == nil ? 401 : status
            return "HTTP/1.1 \(code) No\r\n\(challenge)Content-Length: 0\r\n\r\n"
        })
        defer {
            tokens.stop()
            backend.stop()
        }
        let report = try Self.report(Self.yaml(tokenURL: tokens.url, upstream: backend.url), code: 1)
        #expect(report.codes == [status == 401 ? "backend-refuses-token" : "backend-denies-access"])
        let detail = try #require(report.findings.first?.detail)
        #expect(detail.contains("answers \(status) with a token of credential main, and 401 without it"))
        #expect(detail.contains("insufficient_scope"))
        #expect(report.steps(of: "orders").suffix(2) == ["withoutCredential passed", "withCredential failed"])
    }

    @Test("A token that the backend repeats in its challenge stands neither in the report nor in its JSON")
    func repeatedToken() throws {
        let tokens = try FakeTokenEndpoint(then: .status(200, "{\"access_token\":\"canary-token-0451\"}"))
        let backend = try ScriptedServer(answering: { request in
            let given = request.fields["Authorization"] ?? "none"
            let challenge =
                "Bearer realm=\"\(given)\", error=\"invalid_token\", error_description=\"bad token \(given)\""
            return "HTTP/1.1 401 No\r\nWWW-Authenticate: \(challenge)\r\nContent-Length: 0\r\n\r\n"
        })
        defer {
            tokens.stop()
            backend.stop()
        }
        let yaml = Self.yaml(tokenURL: tokens.url, upstream: backend.url)
        let report = try Self.report(yaml, code: 1)
        #expect(report.findings.first?.detail.hasSuffix("Its challenge: Bearer error=\"invalid_token\".") == true)
        #expect(try Self.run(yaml).output.contains("Its challenge: Bearer error=\"invalid_token\"."))
    }

    @Test("A token that depends on the request, and a route whose host the app names, are skipped")
    func skipped() throws {
        let tokens = try FakeTokenEndpoint()
        defer { tokens.stop() }
        let yaml = """
            credentials:
              main: { type: clientCredentials, tokenUrl: "\(tokens.url)", clientId: c, clientSecret: canary-s, scope: "{host}" }
            routes: [{ name: any, match: { host: "*.test" }, credential: main }]

            """
        let report = try Self.report(yaml, code: 0)
        #expect(report.steps(of: "main") == ["token skipped"])
        #expect(report.steps(of: "any") == ["name skipped"])
        let detail = report.checks.first { $0.credential == "main" }?.detail
        #expect(detail == "the token depends on the request; attache token main --host HOST fetches one")
        #expect(tokens.requests.isEmpty)
    }

    @Test("A new refresh token of the server is written to its file")
    func refreshToken() throws {
        let answer = "{\"access_token\":\"canary-t\",\"refresh_token\":\"canary-r1\"}"
        let tokens = try FakeTokenEndpoint(then: .status(200, answer))
        let directory = try TemporaryDirectory()
        defer {
            tokens.stop()
            directory.remove()
        }
        let file = try directory.write("canary-r0", to: "refresh")
        _ = try Self.report(Self.refreshing(tokens, file), code: 0)
        #expect(TemporaryDirectory.read(file) == "canary-r1")
        #expect(tokens.requests.count == 1)
    }

    @Test(
        "Ended by a signal, it exits with 2, after the next refresh token has arrived and is in its file",
        arguments: [SIGTERM, SIGINT, SIGHUP])
    func ended(by signal: Int32) throws {
        let gate = Gate("the token server may answer")
        let answer = "{\"access_token\":\"canary-t\",\"refresh_token\":\"canary-r1\"}"
        let tokens = try FakeTokenEndpoint([.held(gate, .status(200, answer))])
        let directory = try TemporaryDirectory()
        defer {
            gate.open()
            tokens.stop()
            directory.remove()
        }
        let token = try directory.write("canary-r0", to: "refresh")
        let file = try directory.write(Self.refreshing(tokens, token), to: "attache.yaml")
        let process = try ChildProcess(ExecutableUnderTest.path, ["doctor", file], in: directory)
        defer { process.kill() }
        try tokens.waitForRequests(1)
        process.signal(signal)
        // Nothing tells from outside that a signal has been taken, except that it is not pending any more.
        try Patience.poll("it is taken") { process.hasPending(signal) ? nil : () }
        gate.open()
        #expect(try process.waitForEnd() == .exited(2))
        #expect(process.errors.contains("before the report was complete"), "\(process.errors)")
        #expect(process.output.contains("  ✓ connection "), "\(process.output)")
        #expect(process.output.contains("  – token               ended by SIG"), "\(process.output)")
        #expect(!process.output.contains("ok: no findings"))
        #expect(!process.errors.contains("was sent"))
        #expect(!process.errors.contains("canary"))
        #expect(TemporaryDirectory.read(token) == "canary-r1")
    }

    @Test("If the token server does not answer a refresh token, the report says that it may be spent")
    func unansweredRefreshToken() throws {
        let tokens = try FakeTokenEndpoint(then: .closed)
        let directory = try TemporaryDirectory()
        defer {
            tokens.stop()
            directory.remove()
        }
        let file = try directory.write("canary-r0", to: "refresh")
        let report = try Self.report(Self.refreshing(tokens, file), code: 1)
        let detail = try #require(report.checks.first { $0.step == "token" }?.detail)
        #expect(detail.contains("and received no response"), "\(detail)")
        #expect(detail.hasSuffix("\(file) holds a used refresh token"), "\(detail)")
    }

    /// A credential with a refresh token in a file, and no backend.
    private static func refreshing(_ tokens: FakeTokenEndpoint, _ file: String) -> String {
        """
        credentials:
          main: { type: refreshToken, tokenUrl: "\(tokens.url)", clientId: c, clientAuthentication: none,
                  refreshToken: { file: \(file) } }
        routes: [{ name: any, match: { host: "*.test" }, credential: main }]

        """
    }
}
