import Support
import Testing

@Suite("A CA file that changes while requests are served")
struct AuthorityFileTests {
    private static let certificates = TestCertificates.shared
    private static let warning = "not replaced, the old ones are kept"

    @Test("A route trusts the new authorities, and idle connections with the old ones are closed")
    func route() throws {
        let backend = TLSBackend()
        defer { backend.stop() }
        let directory = try TemporaryDirectory()
        defer { directory.remove() }
        let ours = TemporaryDirectory.read(Self.certificates.caFile)
        let others = TemporaryDirectory.read(Self.certificates.otherCAFile)
        try directory.write(ours, to: "ca.pem")
        let layout = Layout(
            route: ["tls: { caFile: \(directory.file("ca.pem")) }"], match: "{ host: app.test }",
            upstream: "https://localhost:\(backend.port)")
        try withScene(layout) { scene in
            let client = try scene.client()
            defer { client.close() }
            let started = "attache_upstream_certificate_expiry_timestamp_seconds{route=\"main\"} "
            #expect(!(try scene.proxy.admin("/metrics").text.contains(started)))
            #expect(try client.get("http://app.test/first").status == 200)
            #expect(try scene.proxy.admin("/metrics").text.contains(started))
            // A broken file changes nothing.
            try directory.write("canary-7", to: "ca.pem")
            try Patience.poll("a warning") { () -> Void? in
                guard try client.get("http://app.test/broken").status == 200 else { throw PatienceExhausted("200") }
                return scene.proxy.log.text.contains(Self.warning) ? () : nil
            }
            #expect(backend.connectionCount == 1)
            // The old connection is idle, and is not used once others are trusted.
            try directory.write(others, to: "ca.pem")
            try Patience.poll("the backend is not trusted any more") { () -> Void? in
                try client.get("http://app.test/other").status == 502 ? () : nil
            }
            try directory.write(others + ours, to: "ca.pem")
            try Patience.poll("the backend is trusted again") { () -> Void? in
                try client.get("http://app.test/both").status == 200 ? () : nil
            }
            #expect(backend.resumptions.last == false)
            #expect(!scene.proxy.log.text.contains("canary-7"))
        }
    }

    @Test("The first request after a change is verified by the new authorities, even after a long pause")
    func firstRequest() throws {
        let backend = TLSBackend()
        defer { backend.stop() }
        let directory = try TemporaryDirectory()
        defer { directory.remove() }
        try directory.write(TemporaryDirectory.read(Self.certificates.otherCAFile), to: "ca.pem")
        let layout = Layout(
            route: ["tls: { caFile: \(directory.file("ca.pem")) }"], match: "{ host: app.test }",
            upstream: "https://localhost:\(backend.port)")
        try withScene(layout) { scene in
            try directory.write(TemporaryDirectory.read(Self.certificates.caFile), to: "ca.pem")
            try scene.proxy.log.wait(for: "certificate authorities replaced")
            let client = try scene.client()
            defer { client.close() }
            #expect(try client.get("http://app.test/first").status == 200)
        }
    }

    @Test("A credential's token server is verified by the authorities that are in the file at the time of the request")
    func credential() throws {
        let directory = try TemporaryDirectory()
        defer { directory.remove() }
        try directory.write(TemporaryDirectory.read(Self.certificates.otherCAFile), to: "ca.pem")
        let answer = "{\"access_token\":\"t\",\"token_type\":\"Bearer\",\"expires_in\":2}"
        let server = TLSBackend { _ in
            .end(
                "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: \(answer.utf8.count)\r\n"
                    + "Connection: close\r\n\r\n\(answer)")
        }
        defer { server.stop() }
        let layout = Layout(
            tokenURL: "https://localhost:\(server.port)/token",
            credential: ["tls: { caFile: \(directory.file("ca.pem")) }"])
        try withScene(layout) { scene in
            func isReady() throws -> Bool { try scene.proxy.admin("/readyz").status == 200 }
            try Patience.poll("the token server is refused") { () -> Void? in
                try scene.proxy.admin("/readyz").text.contains("failed") ? () : nil
            }
            try directory.write(TemporaryDirectory.read(Self.certificates.caFile), to: "ca.pem")
            try Patience.poll("it is trusted") { try isReady() ? () : nil }
            try directory.write("canary-7", to: "ca.pem")
            let before = server.requests.count
            try Patience.poll("a warning, and tokens still") { () -> Void? in
                server.requests.count > before + 1 && scene.proxy.log.text.contains(Self.warning) ? () : nil
            }
            #expect(!scene.proxy.log.text.contains("canary-7"))
        }
    }
}
