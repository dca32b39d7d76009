import Testing
import TokenManager

@Suite("An issuer whose metadata names the token endpoint") struct DiscoveryTests {
    private static let inserted = "/.well-known/oauth-authorization-server/realms/a"
    private static let appended = "/realms/a/.well-known/openid-configuration"

    private func simulation(_ issuer: String = "https://idp.test/realms/a") throws -> Simulation {
        let client = ClientCredentials(
            endpoint: .issuer(try Issuer(issuer)),
            client: OAuthClient(id: "cid", authentication: .basic(.literal("s3cret"))))
        return Simulation([CredentialConfiguration(name: "a", source: .clientCredentials(client))])
    }

    private static func metadata(
        issuer: String = "https://idp.test/realms/a", endpoint: String = "https://idp.test/oauth/token"
    ) -> ScriptedTransport.Answer {
        .ok(#"{"issuer":"\#(issuer)","token_endpoint":"\#(endpoint)","x":1}"#)
    }

    private func paths(_ simulation: Simulation) -> [String] {
        simulation.transport.exchanges.map { "\($0.request.method.rawValue) \($0.request.url.path)" }
    }

    @Test func `The token comes from the endpoint in the metadata, which is read once and without a secret`() throws {
        let simulation = try simulation()
        simulation.transport.script { exchange in
            exchange.request.method == .get ? Self.metadata() : .token("t\(exchange.number)", life: 3600)
        }
        try simulation.start()
        #expect(simulation.ask().header?.value == "Bearer t1")
        simulation.advance(.seconds(20 * 3600))
        #expect(paths(simulation).prefix(3) == ["GET \(Self.inserted)", "POST /oauth/token", "POST /oauth/token"])
        #expect(paths(simulation).count { $0.hasPrefix("GET") } == 1)
        let request = try #require(simulation.transport.exchanges.first?.request)
        #expect(request.body.isEmpty && request.fields.map(\.name) == ["Accept"])
        // After a day it is read again before the next token.
        simulation.advance(.seconds(10 * 3600))
        #expect(paths(simulation).count { $0.hasPrefix("GET") } == 2)
    }

    @Test(
        "The addresses of metadata are tried one after the other",
        arguments: [
            (
                "https://idp.test/realms/a",
                [
                    inserted, appended, "/.well-known/openid-configuration/realms/a",
                    "/realms/a/.well-known/oauth-authorization-server",
                ]
            ),
            ("https://idp.test", ["/.well-known/oauth-authorization-server", "/.well-known/openid-configuration"]),
            ("https://idp.test/", ["/.well-known/oauth-authorization-server", "/.well-known/openid-configuration"]),
            (
                "https://idp.test/a/",
                [
                    "/.well-known/oauth-authorization-server/a", "/a/.well-known/openid-configuration",
                    "/.well-known/openid-configuration/a", "/a/.well-known/oauth-authorization-server",
                ]
            ),
        ])
    func places(issuer: String, expected: [String]) throws {
        #expect(try Issuer(issuer).metadataURLs.map(\.path) == expected)
        let simulation = try simulation(issuer)
        let last = expected.last ?? ""
        simulation.transport.script { exchange in
            if exchange.request.method == .post { return .token("t") }
            return exchange.request.url.path == last ? Self.metadata(issuer: issuer) : .status(404)
        }
        #expect(simulation.ask().header != nil)
        #expect(simulation.transport.exchanges.dropLast().map(\.request.url.path) == expected)
    }

    @Test(
        "The error names metadata that cannot be trusted, and no secret is sent",
        arguments: [
            (
                metadata(issuer: "https://evil.test"),
                "it is for the issuer https://evil.test, not for https://idp.test/realms/a"
            ),
            (
                metadata(issuer: "https://idp.test/realms/a/"),
                "it is for the issuer https://idp.test/realms/a/, not for"
            ),
            (
                metadata(issuer: "https://IDP.test/realms/a"),
                "it is for the issuer https://IDP.test/realms/a, not for"
            ),
            (metadata(issuer: "a\\r\\nb"), "it is for the issuer of another name"),
            (.ok(#"{"token_endpoint":"https://idp.test/t"}"#), "issuer is missing"),
            (.ok(#"{"issuer":1,"token_endpoint":"https://idp.test/t"}"#), "issuer is missing"),
            (.ok(#"{"issuer":"https://idp.test/realms/a"}"#), "token_endpoint is missing"),
            (
                metadata(endpoint: "idp.test"),
                "token_endpoint is not a usable address: the URL does not begin with http:// or https://"
            ),
            (
                metadata(endpoint: "https://u:p@idp.test/"),
                "token_endpoint is not a usable address: the URL contains a user"
            ),
            (
                metadata(endpoint: "https://idp.test/" + String(repeating: "a", count: TokenURL.longest)),
                "token_endpoint is not a usable address: the URL is longer than 8000 bytes"
            ),
            (
                metadata(endpoint: "https://" + String(repeating: "a.", count: 200) + "test/"),
                "token_endpoint is not a usable address: the URL's host is missing, too long, or not a host name"
            ),
            (metadata(endpoint: "http://idp.test/t"), "token_endpoint would receive the secret in plain text"),
            (.ok(#"{"issuer":"https://idp.test/realms/a","issuer":"x"}"#), "two members with the same name"),
            (.ok("<html>"), "the body is not a JSON object"), (.ok(""), "the body is not a JSON object"),
            (.status(302), "302, a redirect, which is never followed"), (.status(500), "500"),
        ] as [(ScriptedTransport.Answer, String)])
    func refused(answer: ScriptedTransport.Answer, reason: String) throws {
        let simulation = try simulation()
        simulation.transport.script { $0.request.method == .get ? answer : .token("t") }
        let error = try #require(simulation.ask().error)
        #expect(error.kind == .badMetadata)
        #expect(error.message.contains(reason) && error.message.utf8.count < 1000, "\(error)")
        #expect(simulation.transport.exchanges.allSatisfy { $0.request.method == .get })
    }

    @Test func `Many credentials of one issuer read its metadata once, and a stop ends that read`() throws {
        let issuer = TokenEndpoint.issuer(try Issuer("https://idp.test/realms/a"))
        let names = (0..<50).map { "c\($0)" }
        let simulation = Simulation(
            names.map { name in
                let client = OAuthClient(id: name, authentication: .basic(.literal("s")))
                let source = CredentialSource.clientCredentials(ClientCredentials(endpoint: issuer, client: client))
                return CredentialConfiguration(name: name, source: source)
            })
        try simulation.start()
        #expect(simulation.transport.open.count == 1)
        simulation.transport.script { $0.request.method == .get ? Self.metadata() : .token("t\($0.number)") }
        simulation.answer(.status(404))
        #expect(names.allSatisfy { simulation.ask($0).header != nil })
        #expect(simulation.transport.exchanges.count == 52)

        let stopped = try self.simulation()
        try stopped.start()
        let caller = stopped.ask()
        try stopped.stop()
        stopped.loop.run()
        #expect(caller.error?.kind == .stopped)
        #expect(stopped.transport.open.isEmpty)
    }

    @Test func `An issuer in plain text may have its endpoint in plain text on its own host only`() throws {
        for (endpoint, isTaken) in [
            ("http://127.0.0.1:9/t", true), ("https://a.test/t", true), ("http://a.test/t", false),
        ] {
            let simulation = try simulation("http://127.0.0.1:1")
            simulation.transport.script { exchange in
                exchange.request.method == .get
                    ? Self.metadata(issuer: "http://127.0.0.1:1", endpoint: endpoint) : .token("t")
            }
            #expect((simulation.ask().header != nil) == isTaken, "\(endpoint)")
        }
    }

    @Test func `An unreachable issuer is asked again with the back-off, one address at a time`() throws {
        let simulation = try simulation()
        simulation.transport.script { _ in .unreachable }
        try simulation.start()
        let error = try #require(simulation.ask().error)
        #expect(error.kind == .tokenServerUnreachable)
        #expect(error.message.contains("the issuer https://idp.test/realms/a gave no metadata"))
        #expect(simulation.transport.exchanges.count == 1)
        simulation.advance(.seconds(10))
        #expect((2...5).contains(simulation.transport.exchanges.count))
        simulation.transport.script { $0.request.method == .get ? Self.metadata() : .token("t") }
        simulation.advance(.seconds(60))
        #expect(simulation.ask().header != nil)
    }

    @Test func `An endpoint that fails twice in a row is looked up again, and found at its new address`() throws {
        let simulation = try simulation()
        simulation.transport.script { $0.request.method == .get ? Self.metadata() : .token("t", life: 100) }
        try simulation.start()
        simulation.transport.script { exchange in
            if exchange.request.method == .get { return Self.metadata(endpoint: "https://new.test/token") }
            return exchange.request.url.host == "new.test" ? .token("moved", life: 100) : .status(404)
        }
        simulation.advance(.seconds(90))
        #expect(simulation.ask().header?.value == "Bearer moved")
        let hosts = simulation.transport.exchanges.map { "\($0.request.method.rawValue) \($0.request.url.host)" }
        #expect(
            hosts == [
                "GET idp.test", "POST idp.test", "POST idp.test", "POST idp.test", "GET idp.test", "POST new.test",
            ])
    }

    @Test func `While the metadata cannot be read again, the known endpoint stays in use`() throws {
        let simulation = try simulation()
        simulation.transport.script { $0.request.method == .get ? Self.metadata() : .token("t", life: 3600) }
        try simulation.start()
        simulation.transport.script { $0.request.method == .get ? .unreachable : .token("later", life: 3600) }
        simulation.advance(.seconds(30 * 3600))
        #expect(simulation.ask().header?.value == "Bearer later")
        #expect(paths(simulation).count { $0.hasPrefix("GET") } == 2)
        #expect(try simulation.status()?.failed == 0)
    }

    @Test func `A refusal is a useful response: it does not make the metadata be read again`() throws {
        let simulation = try simulation()
        simulation.transport.script { $0.request.method == .get ? Self.metadata() : .oauthError(401, "invalid_client") }
        try simulation.start()
        simulation.advance(.seconds(1000))
        #expect(paths(simulation).count { $0.hasPrefix("GET") } == 1)
        #expect(paths(simulation).count > 5)
    }
}
