import EventTransport
import FoundationEssentials
import Support
import Testing

@testable import ProxyServer

@Suite("Findings of a running proxy")
struct FindingsTests {
    /// The page `/findings`.
    private struct Page: Decodable {
        struct Entry: Decodable {
            let code, severity, title, detail, advice, documentation, since: String
            var credential, route, setting: String?
        }

        let version: Int
        let findings: [Entry]
    }

    private static func page(_ proxy: ProxyUnderTest) throws -> Page {
        let response = try proxy.admin("/findings")
        #expect(response.status == 200)
        #expect(response.fields["Content-Type"] == "application/json")
        return try JSONDecoder().decode(Page.self, from: Data(response.text.utf8))
    }

    @Test("A refused token request is one finding, with one code on every page and in the log, until it ends")
    func credential() throws {
        try withScene(tokens: [.status(401, "{\"error\":\"invalid_client\"}")], then: .token(expiresIn: "3600")) {
            scene in
            let page = try Patience.poll("the finding") { () -> Page? in
                let page = try Self.page(scene.proxy)
                return page.findings.contains { $0.code == "token-server-refused" } ? page : nil
            }
            #expect(page.version == 1)
            #expect(page.findings.count == 1)
            let finding = try #require(page.findings.first)
            #expect(finding.credential == "main")
            #expect(finding.severity == "error")
            #expect(finding.detail.contains("invalid_client"))
            #expect(finding.documentation == "Troubleshooting.md#token-server-refused")
            #expect(finding.since.hasSuffix("Z"))
            let ready = try scene.proxy.admin("/readyz").text
            #expect(
                ready.hasSuffix(
                    "\nfinding token-server-refused: error: credential main: The token server answers with an error\n"))
            let sample =
                "attache_finding{code=\"token-server-refused\",severity=\"error\",subject=\"credential main\"} 1\n"
            #expect(try scene.proxy.admin("/metrics").text.contains(sample))
            // The pause after a refusal is 5 s.
            try scene.proxy.pass(.seconds(6))
            try Patience.poll("its end") { try Self.page(scene.proxy).findings.isEmpty ? () : nil }
            #expect(try scene.proxy.admin("/readyz").text == "ready\ncredential main: ready\n")
            #expect(try !scene.proxy.admin("/metrics").text.contains("token-server-refused"))
            let lines = scene.proxy.log.text.split(separator: "\n").filter { $0.contains(" finding ") }
            #expect(lines.count == 2, "\(lines)")
            #expect(lines.first?.hasPrefix("error finding began ") == true)
            #expect(lines.last?.hasPrefix("notice finding ended ") == true)
            for line in lines { #expect(line.contains("token-server-refused") && line.contains("main")) }
        }
    }

    @Test("Nobody has to ask: a finding is logged when it has lasted long enough")
    func unasked() throws {
        let gate = Gate()
        defer { gate.open() }
        try withScene(tokens: [.held(gate, .token(expiresIn: "3600"))]) { scene in
            try scene.tokens.waitForRequests(1)
            #expect(try Self.page(scene.proxy).findings.isEmpty)
            try scene.proxy.pass(.seconds(11))
            try scene.proxy.log.wait(for: "credential-unavailable")
        }
    }

    @Test("A broken file is a finding until a load succeeds, and a setting that needs a restart is one")
    func reload() throws {
        try withReloadable { it in
            #expect(try it.reload(Layout(match: "{ hosts: app.test }")).status == 422)
            let broken = try Self.page(it.proxy).findings
            #expect(broken.map(\.code) == ["configuration-not-reloaded"])
            #expect(broken.first?.detail.contains("hosts") == true)
            #expect(try it.proxy.admin("/readyz").status == 200)
            #expect(try it.reload(Reloadable.layout).status == 200)
            #expect(try Self.page(it.proxy).findings.isEmpty)
            var other = Reloadable.layout
            other.accessLog = "{directory}/other.log"
            #expect(try it.reload(other).status == 200)
            #expect(try Self.page(it.proxy).findings.map(\.code) == ["restart-needed"])
            other.accessLog = Reloadable.layout.accessLog
            other.routesBefore = ["{ name: never, match: { host: app.test }, upstream: \"http://127.0.0.1:1\" }"]
            #expect(try it.reload(other).status == 200)
            let hidden = try Self.page(it.proxy).findings
            #expect(hidden.map(\.code) == ["route-unreachable"])
            #expect(hidden.first?.setting?.hasSuffix("routes[1]") == true)
        }
    }

    @Test("A drain is a finding, and no warning")
    func drain() throws {
        try withScene(Layout(drainDelay: "60s")) { scene in
            scene.proxy.drain()
            let page = try Patience.poll("the drain") { () -> Page? in
                let page = try Self.page(scene.proxy)
                return page.findings.isEmpty ? nil : page
            }
            #expect(page.findings.map(\.code) == ["shutting-down"])
            #expect(page.findings.first?.severity == "notice")
            #expect(page.findings.first?.detail.contains("still accepts requests, until 60 s") == true)
            #expect(try scene.get().status == 200)
        }
    }

    /// Moves the proxy's clock on until the page shows these codes.
    private static func wait(for codes: [String], _ proxy: ProxyUnderTest, _ step: Duration) throws {
        try Patience.poll("the findings \(codes)") {
            try proxy.pass(step)
            return try page(proxy).findings.map(\.code) == codes ? () : nil
        }
    }

    @Test("A warning about a file's content ends when the file is mended, without a reload")
    func mendedFile() throws {
        var layout = Reloadable.layout
        layout.listeners = [
            "{ address: 127.0.0.1:0, passwordFile: \"{directory}/users\", allow: [{ username: app }] }"
        ]
        try withReloadable(layout, files: ["users": "other:canary-password\n"]) { it in
            #expect(try Self.page(it.proxy).findings.map(\.code) == ["user-without-password"])
            _ = try it.directory.write("app:canary-password\n", to: "users")
            try Self.wait(for: [], it.proxy, .seconds(11))
            _ = try it.directory.write("other:canary-password\n", to: "users")
            try Self.wait(for: ["user-without-password"], it.proxy, .seconds(11))
        }
    }

    @Test("Nobody has to ask: the finding about a route's client certificate ends when its file is replaced")
    func replacedCertificate() throws {
        let certificates = TestCertificates.shared
        let (old, new) = (certificates.expired, certificates.good)
        var layout = Reloadable.layout
        layout.upstream = "https://{backend}"
        layout.route = [
            "tls: { clientCertificate: \"{directory}/client.pem\", clientKey: \"{directory}/client.key\" }"
        ]
        let files = [
            "client.pem": TemporaryDirectory.read(old.certificateFile),
            "client.key": TemporaryDirectory.read(old.keyFile),
        ]
        try withReloadable(layout, files: files) { it in
            try it.proxy.log.wait(for: "certificate-expired")
            _ = try it.directory.write(TemporaryDirectory.read(new.certificateFile), to: "client.pem")
            _ = try it.directory.write(TemporaryDirectory.read(new.keyFile), to: "client.key")
            try Patience.poll("its end") { () -> Void? in
                try it.proxy.pass(.seconds(11))
                let lines = it.proxy.log.text.split(separator: "\n")
                return lines.contains { $0.contains("finding ended") && $0.contains("certificate-expired") } ? () : nil
            }
        }
    }

    @Test("Lost log lines are a finding for a minute, however late somebody asks")
    func lostLines() throws {
        try withScene(Layout(accessLog: "/dev/full")) { scene in
            #expect(try scene.get().status == 200)
            try scene.proxy.pass(.seconds(1))
            try scene.proxy.log.wait(for: "log-lines-dropped")
            try scene.proxy.pass(.seconds(61))
            #expect(try Self.page(scene.proxy).findings.isEmpty)
        }
    }

    @Test("The certificate of a backend is a finding, whichever worker has seen it")
    func backendCertificate() throws {
        let backend = TLSBackend()
        defer { backend.stop() }
        let layout = Layout(
            route: ["tls: { caFile: \(TestCertificates.shared.caFile) }"], match: "{ host: app.test }",
            upstream: "https://127.0.0.1:\(backend.port)", top: ["workers: 2"])
        try withScene(layout) { scene in
            let client = try scene.client()
            defer { client.close() }
            #expect(try client.get("http://app.test/").status == 200)
            try Self.wait(for: ["backend-certificate-expires-soon"], scene.proxy, .seconds(2))
        }
    }

    @Test("Of what several workers have seen of a backend, the newest certificate counts")
    func newestCertificate() {
        func seen(_ second: Int64, _ end: Int64) -> BackendCertificate {
            BackendCertificate(seenAt: MonotonicInstant(nanoseconds: second), expiresAt: end)
        }
        let newest = BackendCertificate.newest(of: [
            [0: seen(1, 10), 1: seen(5, 11)], [:], [0: seen(2, 20), 2: seen(1, 12)],
        ])
        #expect(newest == [0: seen(2, 20), 1: seen(5, 11), 2: seen(1, 12)])
    }
}
