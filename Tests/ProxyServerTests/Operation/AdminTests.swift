import EventTransport
import Support
import Testing

@testable import ProxyServer

@Suite("The admin listener")
struct AdminTests {
    @Test("The proxy is ready only when every credential has a token, and the page says which one lacks it and why")
    func readyz() throws {
        let gate = Gate()
        try withScene(tokens: [.held(gate, .token(expiresIn: "3600"))]) { scene in
            try scene.tokens.waitForRequests(1)
            let before = try scene.proxy.admin("/readyz")
            #expect(before.status == 503)
            #expect(before.text == "not ready\ncredential main: not ready, fetching\n")
            gate.open()
            let after = try Patience.poll("it is ready") { () -> ReceivedResponse? in
                let response = try scene.proxy.admin("/readyz")
                return response.status == 200 ? response : nil
            }
            #expect(after.text == "ready\ncredential main: ready\n")
        }
    }

    @Test("A credential that is not required leaves the program ready without a token")
    func readyzOptional() throws {
        try withScene(Layout(credential: ["required: false"]), then: .status(401, "{\"error\":\"invalid_client\"}")) {
            scene in
            let page = try Patience.poll("the failed fetch") { () -> ReceivedResponse? in
                let response = try scene.proxy.admin("/readyz")
                return response.text.contains("failed") ? response : nil
            }
            #expect(page.status == 200)
            #expect(page.text.hasPrefix("ready\ncredential main: not ready (not required), failed: "), "\(page.text)")
        }
    }

    @Test("Metrics are Prometheus text and count requests by route and code")
    func metrics() throws {
        try withScene { scene in
            for _ in 0..<3 { _ = try scene.get() }
            let client = try scene.client()
            defer { client.close() }
            _ = try client.get("http://denied.example/")
            // A count may be published a moment after its answer.
            let page = try Patience.poll("the counts") { () -> ReceivedResponse? in
                let page = try scene.proxy.admin("/metrics")
                let lines = Self.samples(page.text)
                let counted = lines.contains {
                    $0.0.contains("route=\"main\"") && $0.0.contains("code=\"200\"") && $0.1 == 3
                }
                return counted && lines.contains { $0.0.contains("code=\"403\"") && $0.1 == 1 } ? page : nil
            }
            #expect(page.fields["Content-Type"]?.hasPrefix("text/plain") == true)
            for part in ["_bucket{", "le=\"+Inf\"", "_sum", "_count", "# TYPE", "credential=\"main\""] {
                #expect(page.text.contains(part), "no \(part) in \(page.text)")
            }
            let samples = Dictionary(Self.samples(page.text), uniquingKeysWith: { $1 })
            #expect(samples["attache_upstream_response_duration_seconds_count{route=\"main\"}"] == 3)
            #expect(samples["attache_bytes_total{route=\"main\",direction=\"received\"}"] == 0)
            #expect((samples["attache_bytes_total{route=\"main\",direction=\"sent\"}"] ?? 0) > 0)
            for line in page.text.split(separator: "\n") where !line.hasPrefix("#") {
                #expect(line.split(separator: " ").last.flatMap { Double($0) } != nil, "\(line)")
            }
        }
    }

    @Test("Thousands of requests sent ahead are all answered")
    func pipelined() throws {
        try withScene { scene in
            let client = try RawClient(port: scene.proxy.adminPort)
            defer { client.close() }
            let count = 3000
            try client.send(String(repeating: "GET /livez HTTP/1.1\r\nHost: localhost\r\n\r\n", count: count))
            for _ in 0..<count { #expect(try client.response().text == "alive\n") }
        }
    }

    @Test("A HEAD gets the fields of its page, but no body and no length")
    func head() throws {
        try withScene { scene in
            let client = try RawClient(port: scene.proxy.adminPort)
            defer { client.close() }
            for (page, type) in [
                ("/livez", "text/plain; charset=utf-8"), ("/metrics", "text/plain; version=0.0.4; charset=utf-8"),
            ] {
                let response = try client.exchange("HEAD \(page) HTTP/1.1\r\nHost: localhost\r\n\r\n", method: "HEAD")
                #expect(response.status == 200)
                #expect(response.fields["Content-Type"] == type)
                #expect(response.fields["Content-Length"] == nil)
            }
        }
    }

    @Test("A new connection closes the one that was idle longest, and never one that was just used")
    func oldestIdle() throws {
        try withScene { scene in
            let first = try RawClient(port: scene.proxy.adminPort)
            defer { first.close() }
            let second = try RawClient(port: scene.proxy.adminPort)
            defer { second.close() }
            let page = "GET /livez HTTP/1.1\r\nHost: localhost\r\n\r\n"
            #expect(try second.exchange(page).status == 200)
            #expect(try first.exchange(page).status == 200)
            // As many as are kept, so that one must go for each of the two that came before.
            var others: [RawClient] = []
            defer { for client in others { client.close() } }
            let limit = DescriptorBudget(limit: DescriptorLimit.current).adminConnections
            for _ in 0..<limit - 1 { others.append(try RawClient(port: scene.proxy.adminPort)) }
            #expect(try second.endsNow())
            #expect(try first.exchange(page).status == 200)
            #expect(try scene.proxy.admin("/livez").status == 200)
            #expect(try others[0].endsNow())
            #expect(try first.exchange(page).status == 200)
        }
    }

    @Test("A client that sends requests ahead, ends, and reads only then gets every response")
    func endedAhead() throws {
        try withScene { scene in
            let client = try RawClient(port: scene.proxy.adminPort, receiveBuffer: 4096)
            defer { client.close() }
            // Answers of more than ten megabytes: no socket takes them without a reader.
            let count = 3000
            try client.send(String(repeating: "GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n", count: count))
            client.endWriting()
            for _ in 0..<count { #expect(try client.response().status == 200) }
            #expect(try client.endsNow())
        }
    }

    @Test("Other paths get 404, other methods 405, garbage 400, and the listener continues")
    func elsewhere() throws {
        try withScene { scene in
            #expect(try scene.proxy.admin("/nowhere").status == 404)
            let client = try RawClient(port: scene.proxy.adminPort)
            defer { client.close() }
            let post = try client.exchange(
                "POST /livez HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
            #expect(post.status == 405, "\(post)")
            let rubbish = try RawClient(port: scene.proxy.adminPort)
            defer { rubbish.close() }
            try rubbish.send("rubbish\r\n\r\n")
            let answer = try rubbish.response()
            #expect(answer.status == 400, "\(answer)")
            #expect(try scene.proxy.admin("/livez").status == 200)
        }
    }

    @Test(
        "Only an address, localhost and the names in admin.hosts get a page, and no page contains a token",
        arguments: [
            ("127.0.0.1:9901", "", 200), ("10.1.2.3", "", 200), ("localhost", "", 200),
            ("attache.example:9901", "", 200),
            ("localhost:9901", "Origin: http://localhost:9901\r\n", 200),
            ("localhost", "Origin: http://attache.example\r\n", 200), ("attacker.test", "", 421),
            ("0.0.0.0", "", 421), ("localhost", "Origin: http://localhost:3000\r\n", 403),
            ("localhost", "Origin: http://attacker.test\r\n", 403),
            ("localhost", "Sec-Fetch-Site: cross-site\r\n", 403),
        ] as [(String, String, Int)])
    func names(_ host: String, _ fields: String, _ status: Int) throws {
        try withScene(Layout(adminHosts: ["attache.example"])) { scene in
            #expect(try scene.get().status == 200)
            let client = try RawClient(port: scene.proxy.adminPort)
            defer { client.close() }
            for page in ["/livez", "/readyz", "/metrics"] {
                let response = try client.exchange("GET \(page) HTTP/1.1\r\nHost: \(host)\r\n\(fields)\r\n")
                #expect(response.status == status)
                #expect(!response.text.contains("canary"))
            }
        }
    }

    @Test("On a Unix socket, which no browser reaches, a request may name any host")
    func unixSocket() throws {
        let directory = try TemporaryDirectory()
        defer { directory.remove() }
        let path = directory.file("admin.sock")
        let proxy = try ProxyUnderTest(
            yaml: "listeners: [{ address: 127.0.0.1:0 }]\nunmatched: forward\nadmin: { address: 'unix:\(path)' }")
        defer { proxy.stop() }
        let client = try RawClient(path: path)
        defer { client.close() }
        #expect(try client.exchange("GET /livez HTTP/1.1\r\nHost: attacker.test\r\n\r\n").status == 200)
        #expect(try client.exchange("POST /reload HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n").status == 409)
    }

    private static func samples(_ text: String) -> [(String, Double)] {
        text.split(separator: "\n").filter { !$0.hasPrefix("#") }.compactMap { line in
            guard let space = line.lastIndex(of: " "), let value = Double(line[line.index(after: space)...]) else {
                return nil
            }
            return (String(line[..<space]), value)
        }
    }
}
