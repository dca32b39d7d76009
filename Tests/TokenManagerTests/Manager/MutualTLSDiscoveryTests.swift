import Signing
import Support
import Testing
import TokenManager

@Suite("An issuer whose metadata has another endpoint for clients with a certificate") struct MutualTLSDiscoveryTests {
    private func credential(
        _ name: String, _ authentication: ClientAuthentication, hasCertificate: Bool
    ) throws -> CredentialConfiguration {
        let certificate = ClientCertificate(
            certificate: .literal(SampleKey.rsaCertificate.rawValue), privateKey: .literal(SampleKey.rsa.rawValue))
        let client = ClientCredentials(
            endpoint: .issuer(try Issuer("https://idp.test")),
            client: OAuthClient(id: "c", authentication: authentication),
            tls: TLSSettings(clientCertificate: hasCertificate ? certificate : nil))
        return CredentialConfiguration(name: name, source: .clientCredentials(client))
    }

    /// A simulation of credentials with a certificate and of one without, at a server whose metadata has these aliases.
    private func simulation(aliases: String) throws -> Simulation {
        let assertion = Assertion.signed(SignedAssertion(privateKey: .literal(SampleKey.ed25519.rawValue)))
        let simulation = Simulation([
            try credential("plain", .basic(.literal("s")), hasCertificate: false),
            try credential("mutual", .mutualTls, hasCertificate: true),
            try credential("bound", .privateKeyJwt(assertion), hasCertificate: true),
        ])
        simulation.transport.script { exchange in
            guard exchange.request.method == .get else { return .token("t\(exchange.request.url.host)") }
            return .ok(
                #"{"issuer":"https://idp.test","token_endpoint":"https://idp.test/token","mtls_endpoint_aliases":\#(aliases)}"#
            )
        }
        return simulation
    }

    @Test func `Every client with a certificate asks there, whatever the certificate is for, and no other client does`()
        throws
    {
        let simulation = try simulation(aliases: #"{"token_endpoint":"https://mtls.test/token"}"#)
        #expect(simulation.ask("plain").header?.value == "Bearer tidp.test")
        #expect(simulation.ask("mutual").header?.value == "Bearer tmtls.test")
        #expect(simulation.ask("bound").header?.value == "Bearer tmtls.test")
        #expect(simulation.transport.exchanges.count { $0.request.method == .get } == 1)
    }

    @Test func `An assertion names the server by its token endpoint, whatever address it is sent to`() throws {
        let simulation = try simulation(aliases: #"{"token_endpoint":"https://mtls.test/token"}"#)
        _ = simulation.ask("bound")
        let request = try #require(simulation.transport.exchanges.last?.request)
        #expect(request.url.host == "mtls.test")
        // The first member of the payload; of 30 bytes, whose Base64 does not depend on what follows.
        let audience = Base64URL.encode(Array(#"{"aud":"https://idp.test/token"#.utf8))
        #expect(String(decoding: request.body, as: UTF8.self).contains(".\(audience)"))
    }

    @Test(
        "Metadata without an alias of the token endpoint changes nothing",
        arguments: [
            "null", "{}", "[]", "7", #"{"token_endpoint":null}"#, #"{"revocation_endpoint":"https://mtls.test/r"}"#,
        ])
    func without(aliases: String) throws {
        let simulation = try simulation(aliases: aliases)
        for name in ["plain", "mutual", "bound"] {
            #expect(simulation.ask(name).header?.value == "Bearer tidp.test")
        }
    }

    @Test(
        "An unusable alias is an error for clients that need it, and is read again soon",
        arguments: [
            ("7", "not a usable address"), (#""mtls.test""#, "not a usable address"),
            (#""http://mtls.test/token""#, "would receive the secret in plain text"),
            (#""https://u@mtls.test/token""#, "not a usable address"),
            (#""https://mtls.test/\#(String(repeating: "a", count: TokenURL.longest))""#, "longer than 8000 bytes"),
        ])
    func unusable(alias: String, reason: String) throws {
        let simulation = try simulation(aliases: #"{"token_endpoint":\#(alias)}"#)
        #expect(simulation.ask("plain").header != nil)
        let error = try #require(simulation.ask("mutual").error)
        #expect(error.kind == .badMetadata)
        #expect(error.message.contains("mtls_endpoint_aliases.token_endpoint") && error.message.contains(reason))
        for _ in 0..<3 {
            simulation.advance(.seconds(5))
            _ = simulation.ask("mutual")
        }
        #expect(simulation.transport.exchanges.count { $0.request.method == .get } == 2)
        #expect(simulation.transport.exchanges.count { $0.request.method == .post } == 1)
    }
}
