import EventTransport
import Glibc
import ProxyConfiguration
import ProxyCore
import Support
import Testing

@testable import ProxyServer

@Suite("An examination of servers")
struct ExaminationTests {
    /// Examines a configuration on a loop of its own, while `meanwhile` runs.
    private func examine(
        _ yaml: String, in directory: TemporaryDirectory, mayReplace: Bool = true, descriptorLimit: Int = .max,
        afterLoad: () throws -> Void = {},
        meanwhile: (EventLoop) throws -> Void = { _ in }
    ) throws -> DoctorReport {
        var flags = Flags()
        flags.configurationFile = try directory.write(yaml, to: "attache.yaml")
        let configuration = try Configuration.load(flags: flags, environment: [:])
        try afterLoad()
        let thread = try EventLoop.startThread(name: "examination") { _ in }
        defer {
            thread.loop.stop()
            thread.join()
        }
        let report = Monitor<DoctorReport?>(nil)
        let request = try Doctor.Request(method: "GET", path: "/")
        let examination = Examination(
            configuration, request, DescriptorBudget(limit: descriptorLimit), loop: thread.loop,
            mayReplace: { _ in mayReplace }, progress: { _ in })
        Task(executorPreference: thread.loop) {
            let result = await examination.run()
            report.access { $0 = result }
        }
        try meanwhile(thread.loop)
        return try report.wait("the examination ends") { $0 }
    }

    private static func credential(_ tokens: FakeTokenEndpoint) -> String {
        "{ type: clientCredentials, tokenUrl: \"\(tokens.url)\", clientId: c, clientSecret: canary-secret-0451 }"
    }

    /// The steps of a credential or route with their results.
    private static func steps(_ report: DoctorReport, of name: String) -> [String] {
        report.checks.filter { $0.subject == .credential(name) || $0.subject == .route(name) }
            .map { "\($0.step) \($0.result)" }
    }

    /// The codes and subjects of the findings.
    private static func findings(_ report: DoctorReport) -> [String] {
        report.findings.map { "\($0.code.rawValue) \($0.subject)" }
    }

    private func pass(_ time: Duration, on loop: EventLoop) throws {
        let passed = Gate("the loop runs")
        loop.execute {
            loop.advance(by: time)
            passed.open()
        }
        try passed.wait()
    }

    @Test("Token servers and backends may take as long to answer as for a running proxy")
    func slow() throws {
        let (tokenGate, backendGate) = (Gate("the token server may answer"), Gate("the backend may answer"))
        let tokens = try FakeTokenEndpoint([.held(tokenGate, .token(expiresIn: "36000"))])
        let backend = try ScriptedServer(answering: { _ in
            try backendGate.wait()
            return Scripts.response("ok")
        })
        let directory = try TemporaryDirectory()
        defer {
            tokenGate.open()
            backendGate.open()
            tokens.stop()
            backend.stop()
            directory.remove()
        }
        let yaml = """
            credentials: { main: \(Self.credential(tokens)) }
            routes: [{ name: orders, match: { host: orders.test }, upstream: "\(backend.url)", credential: main }]
            limits: { responseTimeout: 20m }

            """
        let report = try examine(
            yaml, in: directory,
            meanwhile: { loop in
                try tokens.waitForRequests(1)
                try pass(.seconds(15), on: loop)
                tokenGate.open()
                try backend.wait("the backend has a request") { $0.requests.count == 1 }
                try pass(.seconds(600), on: loop)
                backendGate.open()
            })
        #expect(report.checks.allSatisfy { $0.result == .passed }, "\(report.lines)")
        #expect(Self.findings(report) == ["backend-open route orders"])
    }

    @Test("A certificate file that cannot be read any more fails its step, and the other servers are still tried")
    func unreadableAuthorities() throws {
        let tokens = try FakeTokenEndpoint()
        let backend = try ScriptedServer(Scripts.ok)
        let directory = try TemporaryDirectory()
        defer {
            tokens.stop()
            backend.stop()
            directory.remove()
        }
        let file = try directory.write(TemporaryDirectory.read(TestCertificates.shared.caFile), to: "ca.pem")
        let secure =
            "type: clientCredentials, tokenUrl: \"https://127.0.0.1:9/token\", clientId: c, clientSecret: canary-s"
        let yaml = """
            credentials: { main: { \(secure), tls: { caFile: "\(file)" } }, other: \(Self.credential(tokens)) }
            routes:
            - { name: broken, match: { host: a.test }, upstream: "https://127.0.0.1:9", tls: { caFile: "\(file)" },
                credential: main }
            - { name: whole, match: { host: b.test }, upstream: "\(backend.url)", credential: other }

            """
        let report = try examine(yaml, in: directory, afterLoad: { _ = unlink(file) })
        #expect(Self.findings(report).prefix(2) == ["tls-failed credential main", "value-unusable route broken"])
        #expect(report.findings.prefix(2).allSatisfy { $0.detail.contains(file) }, "\(report.lines)")
        #expect(Self.steps(report, of: "main") == ["tls failed", "token failed"])
        #expect(Self.steps(report, of: "broken") == ["tls failed"])
        #expect(Self.steps(report, of: "whole").suffix(2) == ["withoutCredential passed", "withCredential passed"])
        #expect(!report.isWell)
    }

    @Test("A refresh token is not sent if the new one could not be written")
    func fixedFolder() throws {
        let tokens = try FakeTokenEndpoint()
        let directory = try TemporaryDirectory()
        defer {
            tokens.stop()
            directory.remove()
        }
        let file = try directory.write("canary-r0", to: "refresh")
        let yaml = """
            credentials:
              main: { type: refreshToken, tokenUrl: "\(tokens.url)", clientId: c, clientAuthentication: none,
                      refreshToken: { file: \(file) } }
            routes: [{ name: any, match: { host: "*.test" }, credential: main }]

            """
        let report = try examine(yaml, in: directory, mayReplace: false)
        #expect(Self.steps(report, of: "main") == ["token skipped"])
        let check = report.checks.first { $0.step == .token }
        #expect(check?.detail.contains("the folder of \(file) is not writable") == true)
        #expect(Self.findings(report) == ["refresh-token-not-written credential main"])
        #expect(tokens.requests.isEmpty)
    }

    @Test("A credential that is not required fails with a warning, as on the admin listener", arguments: [true, false])
    func optionalCredential(isRefused: Bool) throws {
        let tokens = try FakeTokenEndpoint(then: .status(401, "{\"error\":\"invalid_client\"}"))
        let directory = try TemporaryDirectory()
        let closed = try ClosedPort()
        defer {
            closed.release()
            tokens.stop()
            directory.remove()
        }
        let url = isRefused ? tokens.url : "http://127.0.0.1:\(closed.number)/token"
        let yaml = """
            credentials:
              main: { type: clientCredentials, tokenUrl: "\(url)", clientId: c, clientSecret: canary-s, required: false }
            routes: [{ name: any, match: { host: "*.test" }, credential: main }]

            """
        let report = try examine(yaml, in: directory)
        let code = isRefused ? "token-server-refused" : "connection-refused"
        #expect(Self.findings(report) == ["\(code) credential main"])
        #expect(report.findings.first?.severity == .warning)
        #expect(report.isWell)
    }

    @Test("If the password of a parent proxy cannot be read any more, what needs it is not tried")
    func unreadablePassword() throws {
        let tokens = try FakeTokenEndpoint()
        let directory = try TemporaryDirectory()
        defer {
            tokens.stop()
            directory.remove()
        }
        let file = try directory.write("canary-password", to: "password")
        let proxy = "{ url: \"http://127.0.0.1:9\", username: me, password: { file: \"\(file)\" } }"
        let yaml = """
            credentials: { main: \(Self.credential(tokens)) }
            routes:
            - { name: orders, match: { host: orders.test }, upstream: "http://backend.test", credential: main,
                allowPlaintext: true, upstreamProxy: \(proxy) }
            tokenServerProxy: \(proxy)

            """
        let report = try examine(yaml, in: directory, afterLoad: { _ = unlink(file) })
        #expect(Self.findings(report) == ["secret-unreadable ", "secret-unreadable route orders"])
        #expect(Self.steps(report, of: "main") == ["token skipped"])
        #expect(Self.steps(report, of: "orders") == ["connection failed"])
        #expect(tokens.requests.isEmpty)
    }

    private static let basic = "Basic bWU6Y2FuYXJ5LXBhc3N3b3Jk"

    /// A route to `backend.test` through a parent proxy that demands a password.
    private static func yaml(through parent: ScriptedServer, _ tokens: FakeTokenEndpoint, _ upstream: String) -> String
    {
        """
        credentials: { main: \(credential(tokens)) }
        routes:
        - name: orders
          match: { host: orders.test }
          upstream: "\(upstream)"
          credential: main
          allowPlaintext: true
          tls: { caFile: "\(TestCertificates.shared.caFile)" }
        upstreamProxy: { url: "\(parent.url)", username: me, password: canary-password }

        """
    }

    @Test("A limit of open files that is too low for limits.connections is a finding, as in check")
    func descriptors() throws {
        let directory = try TemporaryDirectory()
        defer { directory.remove() }
        let report = try examine(
            "unmatched: forward\nlimits: { connections: 600 }", in: directory, descriptorLimit: 1024)
        #expect(Self.findings(report) == ["descriptor-limit-low the configuration"])
        #expect(report.isWell)
    }

    @Test("A backend gets no request that a running proxy would send by another route")
    func otherRoute() throws {
        let tokens = try FakeTokenEndpoint()
        let backend = try ScriptedServer(Scripts.ok)
        let directory = try TemporaryDirectory()
        defer {
            tokens.stop()
            backend.stop()
            directory.remove()
        }
        let yaml = """
            credentials: { main: \(Self.credential(tokens)) }
            routes:
            - { name: below, match: { host: a.test, pathPrefix: /a/ }, upstream: "\(backend.url)", credential: main }
            - { name: rest, match: { host: a.test }, upstream: "\(backend.url)" }

            """
        let report = try examine(yaml, in: directory)
        #expect(
            Self.steps(report, of: "below")
                == ["name passed", "connection passed", "withoutCredential skipped", "withCredential skipped"])
        #expect(
            report.checks.filter { $0.result == .skipped }.map(\.detail).allSatisfy { $0 == "route rest takes GET /" }
        )
        #expect(backend.requests.map { $0.fields["Authorization"] } == [nil])
        #expect(Self.findings(report) == ["token-not-tested route below"])
        #expect(report.isWell)
    }

    @Test(
        "A backend that accepts the connection and then fails has the code that a running proxy would answer with",
        arguments: [
            ("garbage\r\n\r\n", "malformed-response"), ("", "connection-terminated"),
            ("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 2", "connection-terminated"),
        ])
    func failure(answer: String, code: String) throws {
        let tokens = try FakeTokenEndpoint()
        let backend = try ScriptedServer { connection in
            guard try connection.request() != nil else { return }
            if !answer.isEmpty { try connection.send(answer) }
        }
        let directory = try TemporaryDirectory()
        defer {
            tokens.stop()
            backend.stop()
            directory.remove()
        }
        let yaml = """
            credentials: { main: \(Self.credential(tokens)) }
            routes: [{ name: orders, match: { host: orders.test }, upstream: "\(backend.url)", credential: main }]

            """
        let report = try examine(yaml, in: directory)
        #expect(Self.findings(report) == ["\(code) route orders"], "\(report.lines)")
    }

    @Test("A backend that does not respond within responseTimeout has the code response-timeout")
    func hanging() throws {
        let tokens = try FakeTokenEndpoint()
        let gate = Gate("the test ends")
        let backend = try ScriptedServer(answering: { _ in
            try gate.wait()
            return Scripts.response("ok")
        })
        let directory = try TemporaryDirectory()
        defer {
            gate.open()
            tokens.stop()
            backend.stop()
            directory.remove()
        }
        let yaml = """
            credentials: { main: \(Self.credential(tokens)) }
            routes: [{ name: orders, match: { host: orders.test }, upstream: "\(backend.url)", credential: main }]
            limits: { responseTimeout: 20m }

            """
        let report = try examine(
            yaml, in: directory,
            meanwhile: { loop in
                for count in 1...2 {
                    try backend.wait("the backend has a request") { $0.requests.count == count }
                    try pass(.seconds(1201), on: loop)
                }
            })
        #expect(Self.findings(report) == ["response-timeout route orders"], "\(report.lines)")
        #expect(report.findings.first?.detail.hasSuffix("sent no response within 1200 s (responseTimeout)") == true)
    }

    @Test("A backend that refuses the connection after TLS 1.3 for want of a client certificate is told of it")
    func wantsCertificate() throws {
        let tokens = try FakeTokenEndpoint()
        let backend = TLSBackend(clientCAFile: TestCertificates.shared.caFile)
        let directory = try TemporaryDirectory()
        defer {
            tokens.stop()
            backend.stop()
            directory.remove()
        }
        let yaml = """
            credentials: { main: \(Self.credential(tokens)) }
            routes:
            - { name: orders, match: { host: orders.test }, upstream: "https://localhost:\(backend.port)", credential: main,
                tls: { caFile: "\(TestCertificates.shared.caFile)" } }

            """
        let report = try examine(yaml, in: directory)
        // The reset of a connection with an unread request may overtake the alert.
        let finding = try #require(report.findings.first)
        #expect([.tlsFailed, .connectionTerminated].contains(finding.code), "\(report.lines)")
        #expect(finding.detail.contains("tls.clientCertificate"), "\(report.lines)")
    }

    @Test("Through a parent proxy, an http backend gets requests in absolute-form with the proxy's password")
    func parentInAbsoluteForm() throws {
        let tokens = try FakeTokenEndpoint()
        let parent = try ScriptedServer(Scripts.ok)
        let directory = try TemporaryDirectory()
        defer {
            tokens.stop()
            parent.stop()
            directory.remove()
        }
        let yaml = Self.yaml(through: parent, tokens, "http://backend.test:8080")
            .replacing("  tls: { caFile: \"\(TestCertificates.shared.caFile)\" }\n", with: "")
        let report = try examine(yaml, in: directory)
        #expect(
            Self.steps(report, of: "orders")
                == ["name passed", "connection passed", "withoutCredential passed", "withCredential passed"])
        #expect(parent.requests.map(\.target) == ["http://backend.test:8080/", "http://backend.test:8080/"])
        #expect(parent.requests.map { $0.fields["Proxy-Authorization"] } == [Self.basic, Self.basic])
        #expect(parent.requests.map { $0.fields["Authorization"] == nil } == [true, false])
        let name = report.checks.first { $0.step == .name && $0.subject == .route("orders") }
        #expect(name?.detail == "the parent proxy \(parent.authority): 127.0.0.1")
    }

    @Test("Through a parent proxy, an https backend gets requests inside a tunnel")
    func parentWithTunnel() throws {
        let tokens = try FakeTokenEndpoint()
        let backend = TLSBackend()
        let parent = try ScriptedServer.tunnels(toPort: backend.port)
        let directory = try TemporaryDirectory()
        defer {
            tokens.stop()
            backend.stop()
            parent.stop()
            directory.remove()
        }
        let report = try examine(Self.yaml(through: parent, tokens, "https://backend.test:8443"), in: directory)
        #expect(
            Self.steps(report, of: "orders")
                == [
                    "name passed", "connection passed", "tls passed", "withoutCredential passed",
                    "withCredential passed",
                ], "\(report.lines)")
        #expect(backend.requests.map { $0.fields["Authorization"] == nil } == [true, false])
        #expect(backend.requests.allSatisfy { $0.fields["Proxy-Authorization"] == nil })
        #expect(parent.heads.allSatisfy { $0.fields["Proxy-Authorization"] == Self.basic })
    }

    @Test("A parent proxy that refuses its password is named, not the backend", arguments: ["http", "https"])
    func parentRefuses(_ scheme: String) throws {
        let tokens = try FakeTokenEndpoint()
        let parent = try ScriptedServer(answering: { _ in Scripts.response("", status: "407 No") })
        let directory = try TemporaryDirectory()
        defer {
            tokens.stop()
            parent.stop()
            directory.remove()
        }
        var yaml = Self.yaml(through: parent, tokens, "\(scheme)://backend.test:8080")
        if scheme == "http" {
            yaml.replace("  tls: { caFile: \"\(TestCertificates.shared.caFile)\" }\n", with: "")
        }
        let report = try examine(yaml, in: directory)
        #expect(Self.findings(report) == ["upstream-proxy-refused route orders"])
        let words = "the parent proxy \(parent.authority) refused the user name or password (407)"
        #expect(report.findings.first?.detail.contains(words) == true, "\(report.lines)")
        #expect(!report.json.contains("canary"))
        #expect(!report.isWell)
    }
}
