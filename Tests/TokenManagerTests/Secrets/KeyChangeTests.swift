import Signing
import Support
import Testing
import TokenManager

@Suite("Keys, certificates and assertions in files") struct KeyChangeTests {
    private func simulation(_ authentication: ClientAuthentication, tls: TLSSettings = TLSSettings()) throws
        -> Simulation
    {
        let client = ClientCredentials(
            endpoint: .url(try TokenURL("https://idp.test/token")),
            client: OAuthClient(id: "cid", authentication: authentication), tls: tls)
        let simulation = Simulation([CredentialConfiguration(name: "a", source: .clientCredentials(client))])
        simulation.transport.script { .token("t\($0.number)", life: 1000) }
        return simulation
    }

    private func algorithms(_ simulation: Simulation) -> [Bool] {
        let rsa = Base64URL.encode(Array(#"{"alg":"RS256","typ":"JWT"}"#.utf8))
        return simulation.transport.exchanges.map { String(decoding: $0.request.body, as: UTF8.self).contains(rsa) }
    }

    @Test func `A new key signs at once`() throws {
        let simulation = try simulation(.privateKeyJwt(.signed(SignedAssertion(privateKey: .file(path: "/key")))))
        simulation.secrets.setFile("/key", SampleKey.rsa.rawValue)
        try simulation.start()
        #expect(simulation.ask().header?.value == "Bearer t0")
        simulation.secrets.setFile("/key", SampleKey.ed25519.rawValue)
        simulation.advance(.seconds(1))
        #expect(simulation.ask().header?.value == "Bearer t1")
        #expect(algorithms(simulation) == [true, false])
    }

    @Test func `An unusable key is reported once, and the last good one stays in use`() throws {
        let simulation = try simulation(.privateKeyJwt(.signed(SignedAssertion(privateKey: .file(path: "/key")))))
        simulation.secrets.setFile("/key", SampleKey.rsa.rawValue)
        try simulation.start()
        simulation.secrets.setFile("/key", "half a ke")
        simulation.advance(.seconds(900))
        #expect(simulation.ask().header?.value == "Bearer t1")
        #expect(algorithms(simulation) == [true, true])
        #expect(simulation.observer.events.count { $0 == .failed("a", .unusableValue) } == 1)
        simulation.secrets.setFile("/key", SampleKey.rsa.rawValue)
        simulation.advance(.seconds(1))
        #expect(try simulation.status()?.lastError == nil)
        #expect(simulation.transport.exchanges.count == 2)
    }

    @Test func `Without a good key no request is sent, and the first good one is used`() throws {
        let simulation = try simulation(.privateKeyJwt(.signed(SignedAssertion(privateKey: .file(path: "/key")))))
        simulation.secrets.setFile("/key", "none")
        try simulation.start()
        let error = try #require(simulation.ask().error)
        #expect(error.kind == .unusableValue)
        #expect(error.message.contains("is not a private key in PEM"))
        #expect(simulation.transport.exchanges.isEmpty)
        simulation.secrets.setFile("/key", SampleKey.p256.rawValue)
        simulation.advance(.seconds(1))
        #expect(simulation.ask().header?.value == "Bearer t0")
    }

    @Test func `A certificate and its key are used together or not at all`() throws {
        let certificate = ClientCertificate(certificate: .file(path: "/cert"), privateKey: .file(path: "/key"))
        let simulation = try simulation(.mutualTls, tls: TLSSettings(clientCertificate: certificate))
        simulation.secrets.setFile("/cert", SampleKey.rsaCertificate.rawValue)
        simulation.secrets.setFile("/key", SampleKey.rsa.rawValue)
        try simulation.start()
        // Of two files one is always replaced before the other.
        simulation.secrets.setFile("/key", SampleKey.p256.rawValue)
        simulation.advance(.seconds(900))
        #expect(simulation.ask().header?.value == "Bearer t1")
        let presented = simulation.transport.exchanges.map(\.request.clientCertificate)
        let expected = PresentedCertificate(
            chain: SampleKey.rsaCertificate.rawValue, privateKey: SampleKey.rsa.rawValue)
        #expect(presented == [expected, expected])
        #expect(try simulation.status()?.lastError?.message.contains("do not belong together") == true)
        simulation.secrets.setFile("/key", SampleKey.rsa.rawValue + "\n\n")
        simulation.advance(.seconds(1))
        #expect(simulation.transport.exchanges.count == 3)
    }

    @Test func `A new assertion, subject token or API key in a file is used at once, and clears a refusal`() throws {
        let url = try TokenURL("https://idp.test/token")
        let secret = Secret.file(path: "/f")
        let sources: [CredentialSource] = [
            .jwtBearer(JWTBearer(endpoint: .url(url), assertion: .value(secret))),
            .tokenExchange(TokenExchange(endpoint: .url(url), subject: TokenExchange.Token(secret))),
            .tokenExchange(
                TokenExchange(
                    endpoint: .url(url), subject: TokenExchange.Token(.literal("s")),
                    actor: TokenExchange.Token(secret))), .ibmIam(IBMIAM(tokenURL: url, apikey: secret)),
            .appId(AppID(oauthServerURL: url, clientID: "c", clientSecret: .literal("s"), assertion: .value(secret))),
        ]
        for source in sources {
            let simulation = Simulation([CredentialConfiguration(name: "a", source: source)])
            simulation.secrets.setFile("/f", "one")
            try simulation.start()
            simulation.answer(.oauthError(400, "invalid_grant"))
            simulation.advance(.milliseconds(100))
            #expect(simulation.ask().error != nil)
            simulation.secrets.setFile("/f", "two")
            simulation.advance(.seconds(1))
            let caller = simulation.ask()
            simulation.answer(.token("t"))
            #expect(caller.header?.value == "Bearer t")
            let bodies = simulation.transport.exchanges.map { String(decoding: $0.request.body, as: UTF8.self) }
            #expect(bodies.map { $0.contains("=two") } == [false, true])
        }
    }
}
