import Signing
import Support
import Testing
import TokenManager

@Suite("Tokens bound to a key") struct BoundTokenTests {
    private func simulation(_ dpop: DPoP = .generated) throws -> Simulation {
        let client = ClientCredentials(
            endpoint: .url(try TokenURL("https://idp.test/token?tenant=a")),
            client: OAuthClient(id: "cid", authentication: .basic(.literal("canary-secret"))))
        return Simulation([CredentialConfiguration(name: "a", source: .clientCredentials(client), dpop: dpop)])
    }

    private func answer(_ token: String, type: String = "DPoP", nonce: String? = nil) -> ScriptedTransport.Answer {
        let body = #"{"access_token":"\#(token)","token_type":"\#(type)","expires_in":1000}"#
        return .success(TokenResponse(status: 200, dpopNonce: nonce, body: Array(body.utf8)))
    }

    private func proofs(_ simulation: Simulation) throws -> [DPoPProof] {
        try simulation.transport.exchanges.map { exchange in
            let fields = exchange.request.fields.filter { $0.name == "DPoP" }
            #expect(fields.count == 1)
            return try DPoPProof(fields.first?.value ?? "")
        }
    }

    @Test func `The token request has a proof, and each use of the token has another`() throws {
        let simulation = try simulation()
        try simulation.start()
        simulation.answer(answer("t0"))
        let header = try #require(simulation.ask().header)
        #expect(header.name == "Authorization")
        #expect(header.value == "DPoP t0")
        let asked = try #require(try proofs(simulation).first)
        #expect(asked.isSigned)
        #expect(asked.header["typ"]?.string == "dpop+jwt")
        #expect(asked.header["alg"]?.string == "ES256")
        #expect(asked.header["jwk"]?["kty"]?.string == "EC")
        #expect(asked.header["jwk"]?["crv"]?.string == "P-256")
        #expect(asked.header["jwk"]?["d"] == nil)
        #expect(asked.claims["htm"]?.string == "POST")
        #expect(asked.claims["htu"]?.string == "https://idp.test/token")
        #expect(asked.claims["iat"] != nil)
        #expect(asked.claims["ath"] == nil)
        #expect(asked.claims["nonce"] == nil)
        let binding = try #require(header.binding)
        var names: Set<String> = []
        for number in 0..<20 {
            let text = binding.proof(
                method: "PUT", uri: "https://b.test/a\"\\\u{1}é?q#f", nonce: number == 0 ? nil : "n\(number)",
                unixTime: 1_700_000_000.001)
            let proof = try DPoPProof(text)
            #expect(proof.isSigned)
            #expect(proof.header == asked.header)
            #expect(proof.claims["htm"]?.string == "PUT")
            #expect(proof.claims["htu"]?.string == "https://b.test/a\"\\\u{1}é")
            // Who reads it may still be in the second before.
            #expect(proof.claims["iat"] == .number(1_699_999_999))
            #expect(proof.claims["ath"]?.string == DPoPProof.hash(of: "t0"))
            #expect(proof.claims["nonce"]?.string == (number == 0 ? nil : "n\(number)"))
            names.insert(try #require(proof.claims["jti"]?.string))
        }
        #expect(names.count == 20)
        #expect(names.allSatisfy { $0.utf8.count == 22 })
    }

    @Test(
        "A nonce that the token server asks for is sent in one repetition, and the newest one from then on",
        arguments: [400, 401])
    func nonces(status: Int) throws {
        let simulation = try simulation()
        let refusal = ScriptedTransport.Answer.success(
            TokenResponse(status: status, dpopNonce: "n1", body: Array(#"{"error":"use_dpop_nonce"}"#.utf8)))
        try simulation.start()
        let caller = simulation.ask()
        simulation.answer(refusal)
        simulation.answer(answer("t0", nonce: "n2"))
        #expect(caller.header?.value == "DPoP t0")
        simulation.advance(.seconds(900))
        simulation.answer(answer("t1"))
        let proofs = try proofs(simulation)
        #expect(proofs.map { $0.claims["nonce"]?.string } == [nil, "n1", "n2"])
        #expect(Set(proofs.compactMap { $0.claims["jti"]?.string }).count == 3)
        #expect(proofs.allSatisfy { $0.isSigned })
    }

    @Test func `A token server that keeps asking for a nonce is asked twice, and one with an invalid nonce once`()
        throws
    {
        for (nonce, count) in [("n1", 2), ("a \"b", 1), ("", 1)] {
            let simulation = try simulation()
            simulation.transport.script { _ in
                .success(TokenResponse(status: 400, dpopNonce: nonce, body: Array(#"{"error":"use_dpop_nonce"}"#.utf8)))
            }
            try simulation.start()
            let caller = simulation.ask()
            #expect(caller.error?.kind == .tokenServerRefused(status: 400, oauthError: "use_dpop_nonce"))
            #expect(simulation.transport.exchanges.count == count)
        }
    }

    @Test(
        "The error about an unbound token names its type",
        arguments: [("Bearer", "token_type is Bearer"), ("mac", "token_type is mac"), ("dpop", nil), ("DPOP", nil)])
    func types(type: String, problem: String?) throws {
        let simulation = try simulation()
        try simulation.start()
        let caller = simulation.ask()
        simulation.answer(answer("t0", type: type))
        if let problem {
            #expect(caller.error?.kind == .badTokenResponse)
            #expect(caller.error?.message.contains(problem) == true, "\(caller)")
        } else {
            #expect(caller.header?.value == "DPoP t0")
        }
    }

    @Test func `A new key binds the next token; the old token is sent with the old key until then`() throws {
        let simulation = try simulation(.privateKey(.file(path: "/key")))
        simulation.secrets.setFile("/key", SampleKey.p256.rawValue)
        try simulation.start()
        simulation.answer(answer("t0"))
        simulation.secrets.setFile("/key", PrivateKey.makeP256())
        simulation.advance(.seconds(1))
        func key(_ header: AuthorizationHeader?) throws -> JSON? {
            try DPoPProof(#require(header?.binding).proof(method: "GET", uri: "https://b", unixTime: 0)).header["jwk"]
        }
        let old = simulation.ask().header
        #expect(old?.value == "DPoP t0")
        simulation.answer(answer("t1"))
        let new = simulation.ask().header
        #expect(new?.value == "DPoP t1")
        let asked = try proofs(simulation).map { $0.header["jwk"] }
        #expect(try asked == [key(old), key(new)])
        #expect(asked.count == 2 && asked[0] != asked[1])
    }

    @Test func `A key of another kind is refused, and so is dpop without a token server`() throws {
        let simulation = try simulation(.privateKey(.literal(SampleKey.rsa.rawValue)))
        try simulation.start()
        #expect(simulation.ask().error?.message.contains("the private key of dpop does not fit ES256") == true)
        let fixed = Simulation([CredentialConfiguration(name: "a", source: .fixed(.literal("x")), dpop: .generated)])
        #expect(fixed.ask().error?.kind == .invalidConfiguration)
    }

    @Test func `No description shows the key`() throws {
        let pem = PrivateKey.makeP256()
        let simulation = try simulation(.privateKey(.literal(pem)))
        try simulation.start()
        simulation.answer(answer("canary-t0"))
        let header = try #require(simulation.ask().header)
        let line = try #require(pem.split(separator: "\n").dropFirst().first)
        var shown = "\(header) \(String(reflecting: header)) "
        dump(header, to: &shown)
        dump(simulation.manager, to: &shown)
        dump(header.binding, to: &shown)
        #expect(!shown.contains(line) && !shown.contains("canary-t0"))
        let sent = simulation.transport.exchanges.map { "\($0.request.fields) \($0.request.body)" }.joined()
        #expect(!sent.contains(line))
    }
}
