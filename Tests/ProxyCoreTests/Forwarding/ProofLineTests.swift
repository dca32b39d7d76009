import HTTPWire
import ProxyCore
import Support
import Testing
import TokenManager

@Suite("The line of a bound token with its proof")
struct ProofLineTests {
    /// Gives a bound token to whoever asks.
    private struct Server: TokenTransport {
        func exchange(_ request: TokenRequest) async throws(TokenTransportError) -> TokenResponse {
            let body = #"{"access_token":"t-1","token_type":"DPoP","expires_in":3600}"#
            return TokenResponse(status: 200, body: Array(body.utf8))
        }
    }

    private struct Clock: TokenClock {
        var now: ContinuousClock.Instant { ContinuousClock.now }

        func sleep(until deadline: ContinuousClock.Instant) async throws {}
    }

    private static func line() async throws -> AuthorizationLine {
        let client = ClientCredentials(
            endpoint: .url(try TokenURL("https://idp.test/token")),
            client: OAuthClient(id: "a", authentication: .basic(.literal("s"))))
        let tokens = TokenManager(
            credentials: [CredentialConfiguration(name: "a", source: .clientCredentials(client), dpop: .generated)],
            transport: Server(), clock: Clock())
        let header = try await tokens.authorizationHeader(for: "a")
        await tokens.stop()
        return AuthorizationLine(name: header.name, value: header.value, binding: header.binding)
    }

    /// What leaves for a request: its lines, without those that end the head.
    private func forwarded(
        _ request: [String], by line: AuthorizationLine, to origin: Origin, nonce: String? = nil, path: String = "",
        preservesHost: Bool = false, parent: ParentAuthorization? = nil
    ) throws -> [String] {
        let bytes = latin1(head(request))
        let parsed = try #require(try RequestHead.parse(bytes.span, limits: HeadLimits()))
        let host = HostLine(origin)
        let rules = UpstreamRequestHead.Rules(
            host: host, credentialName: Array("authorization".utf8), keepsAuthorization: false, provesPossession: true,
            path: Array(path.utf8), preservesHost: preservesHost, parent: parent)
        let upstreamHead = UpstreamRequestHead(parsed, in: bytes.span, rules: rules, into: OutputBuffer())
        let proof = upstreamHead.proof(for: line, to: origin.scheme, nonce: nonce, unixTime: 1_700_000_000)
        var out = OutputBuffer()
        upstreamHead.append(with: line, proof: proof, to: &out)
        let sent = out.text
        #expect(sent.hasSuffix("\r\n\r\n"))
        let lines = sent.split(separator: "\r\n" as Character, omittingEmptySubsequences: false).map(String.init)
        #expect(lines.suffix(2) == ["", ""])
        return Array(lines.dropLast(2))
    }

    private let backend = Origin(scheme: .https, host: "backend.example", port: 443)

    @Test(
        "Exactly one Authorization and one DPoP end the head, whatever the app sends",
        arguments: [
            [], ["DPoP: own"], ["DPOP: own", "dpop: own", "Authorization: DPoP own"],
            ["Connection: DPoP, Authorization", "DPoP: own"], ["Connection: close, dpop", "authorization: Bearer own"],
            ["DPoP:", "DPoP-Nonce: x", "X-DPoP: y"],
        ])
    func last(fields: [String]) async throws {
        let line = try await Self.line()
        let lines = try forwarded(["GET http://a.example/x HTTP/1.1", "Host: a"] + fields, by: line, to: backend)
        let names = lines.dropFirst().map { $0.prefix { $0 != ":" }.lowercased() }
        #expect(names.suffix(2) == ["authorization", "dpop"])
        #expect(names.count { $0 == "authorization" } == 1)
        #expect(names.count { $0 == "dpop" } == 1)
        #expect(!lines.contains { $0.contains("own") })
        #expect(lines.dropLast().last == "Authorization: DPoP t-1")
        let proof = try DPoPProof(try #require(lines.last?.split(separator: " ").last.map(String.init)))
        #expect(proof.isSigned)
        #expect(proof.claims["ath"]?.string == DPoPProof.hash(of: "t-1"))
        // Fields that only look like it go on.
        #expect(names.contains("x-dpop") == fields.contains("X-DPoP: y"))
    }

    @Test(
        "The proof is for the request as it is sent",
        arguments: [
            ("GET http://a.example/b/%41;c?d=e HTTP/1.1", "GET", "https://backend.example/b/%41;c"),
            ("POST http://a.example HTTP/1.1", "POST", "https://backend.example/"),
            ("DELETE http://a.example?x HTTP/1.1", "DELETE", "https://backend.example/"),
            ("OPTIONS http://a.example HTTP/1.1", "OPTIONS", "https://backend.example"),
            ("x-Y http://a.example//z/?? HTTP/1.1", "x-Y", "https://backend.example//z/"),
        ])
    func address(requestLine: String, method: String, uri: String) async throws {
        let line = try await Self.line()
        let lines = try forwarded([requestLine, "Host: a"], by: line, to: backend, nonce: "n-1")
        let claims = try DPoPProof(String(lines.last?.dropFirst("DPoP: ".count) ?? "")).claims
        #expect(claims["htm"]?.string == method)
        #expect(claims["htu"]?.string == uri)
        #expect(claims["iat"] == .number(1_699_999_999))
        #expect(claims["nonce"]?.string == "n-1")
    }

    @Test(
        "The proof's URI names the backend as Host does",
        arguments: [
            (Origin(scheme: .http, host: "::1", port: 8080), "http://[::1]:8080/x"),
            (Origin(scheme: .http, host: "b.test", port: 80), "http://b.test/x"),
            (Origin(scheme: .https, host: "b.test", port: 80), "https://b.test:80/x"),
        ])
    func host(origin: Origin, uri: String) async throws {
        let line = try await Self.line()
        let lines = try forwarded(["GET http://a.example/x HTTP/1.1", "Host: a"], by: line, to: origin)
        let claims = try DPoPProof(String(lines.last?.dropFirst("DPoP: ".count) ?? "")).claims
        #expect(claims["htu"]?.string == uri)
        #expect(claims["nonce"] == nil)
    }

    @Test(
        "The proof's URI has the upstream's path, and the Host that the backend gets",
        arguments: [
            ("GET /x?y HTTP/1.1", false, "https://backend.example/v2/x"),
            ("GET http://a.example/x HTTP/1.1", false, "https://backend.example/v2/x"),
            ("OPTIONS * HTTP/1.1", false, "https://backend.example"),
            ("GET /x HTTP/1.1", true, "https://shop.example:3129/v2/x"),
            ("GET http://a.example/x HTTP/1.1", true, "https://a.example/v2/x"),
        ])
    func joined(requestLine: String, preservesHost: Bool, uri: String) async throws {
        let line = try await Self.line()
        let lines = try forwarded(
            [requestLine, "Host: shop.example:3129"], by: line, to: backend, path: "/v2", preservesHost: preservesHost)
        let claims = try DPoPProof(String(lines.last?.dropFirst("DPoP: ".count) ?? "")).claims
        #expect(claims["htu"]?.string == uri)
    }

    @Test(
        "The proof's URI is the URL that a parent proxy gets",
        arguments: [
            ("GET http://a.example/x?y HTTP/1.1", "http://b.test:8080/v2/x"),
            ("OPTIONS http://a.example HTTP/1.1", "http://b.test:8080"),
        ])
    func absolute(requestLine: String, uri: String) async throws {
        let line = try await Self.line()
        let lines = try forwarded(
            [requestLine, "Host: a"], by: line, to: Origin(scheme: .http, host: "b.test", port: 8080), path: "/v2",
            parent: ParentAuthorization(line: Array("Proxy-Authorization: Basic x\r\n".utf8)))
        #expect(lines.first?.contains(" \(uri)") == true)
        let claims = try DPoPProof(String(lines.last?.dropFirst("DPoP: ".count) ?? "")).claims
        #expect(claims["htu"]?.string == uri)
    }

    @Test("Each proof is different, and its line never shows its value")
    func unlike() async throws {
        let line = try await Self.line()
        let proofs = try (0..<10).map { _ in
            try #require(try forwarded(["GET http://a.example/ HTTP/1.1", "Host: a"], by: line, to: backend).last)
        }
        #expect(Set(proofs).count == 10)
        #expect("\(line)" == "AuthorizationLine(redacted)")
    }

    @Test("A token that is bound to no key has no proof")
    func bearer() throws {
        let line = AuthorizationLine(name: "Authorization", value: "Bearer t")
        #expect(UpstreamRequestHead().proof(for: line, to: .https, nonce: "n", unixTime: 0) == nil)
    }
}
