import Testing

@testable import TokenManager

@Suite struct EndpointDiscoveryTests {
    private static let failure = FetchFailure(error: Sample.error)

    private static func key(_ issuer: String = "https://idp.test/a") throws -> MetadataKey {
        MetadataKey(issuer: try Issuer(issuer), caFile: nil)
    }

    private static func metadata(_ path: String) throws -> ServerMetadata {
        let body = #"{"issuer":"https://idp.test/a","token_endpoint":"https://idp.test/\#(path)"}"#
        return try ServerMetadata(TokenResponse(status: 200, body: Array(body.utf8)), of: Issuer("https://idp.test/a"))
    }

    private static func grant(_ key: MetadataKey) throws -> TokenGrant {
        let source = CredentialSource.clientCredentials(
            ClientCredentials(
                endpoint: .issuer(key.issuer), client: OAuthClient(id: "cid", authentication: .post(.literal("s")))))
        return TokenGrant(try #require(GrantDraft(source)))
    }

    @Test func `Metadata is used for a day`() throws {
        var discovery = EndpointDiscovery()
        let key = try Self.key()
        #expect(discovery.metadata(of: key, Sample.start) == nil)
        let found = try Self.metadata("token")
        #expect(try discovery.readingEnded(key, .success(found), Sample.start) == found)
        #expect(discovery.metadata(of: key, Sample.at(86_399)) == found)
        #expect(discovery.metadata(of: key, Sample.at(86_400)) == nil)
        #expect(discovery.metadata(of: try Self.key("https://idp.test/b"), Sample.start) == nil)
    }

    @Test func `A failed read leaves known metadata in use, and is an error without it`() throws {
        var discovery = EndpointDiscovery()
        let key = try Self.key()
        #expect(throws: FetchFailure.self) {
            try discovery.readingEnded(key, .failure(Self.failure), Sample.start)
        }
        let found = try Self.metadata("token")
        _ = try discovery.readingEnded(key, .success(found), Sample.start)
        #expect(try discovery.readingEnded(key, .failure(Self.failure), Sample.at(86_400)) == found)
        #expect(discovery.metadata(of: key, Sample.at(90_000)) == found)
    }

    @Test func `Two failures of the endpoint in a row make the metadata be read again`() throws {
        var discovery = EndpointDiscovery()
        let key = try Self.key()
        let grant = try Self.grant(key)
        _ = try discovery.readingEnded(key, .success(try Self.metadata("token")), Sample.start)
        discovery.endpointEnded(of: grant, Self.failure)
        discovery.endpointEnded(of: grant, nil)
        discovery.endpointEnded(of: grant, Self.failure)
        discovery.endpointEnded(of: grant, FetchFailure(error: Sample.error, isLocal: true))
        #expect(discovery.metadata(of: key, Sample.start) != nil)
        discovery.endpointEnded(of: grant, Self.failure)
        #expect(discovery.metadata(of: key, Sample.start) == nil)
    }

    @Test func `A refusal by the endpoint shows that it works`() throws {
        var discovery = EndpointDiscovery()
        let key = try Self.key()
        let grant = try Self.grant(key)
        _ = try discovery.readingEnded(key, .success(try Self.metadata("token")), Sample.start)
        discovery.endpointEnded(of: grant, Self.failure)
        discovery.endpointEnded(of: grant, FetchFailure(error: Sample.error, isDefinitive: true))
        discovery.endpointEnded(of: grant, Self.failure)
        #expect(discovery.metadata(of: key, Sample.start) != nil)
    }

    @Test func `An endpoint that leads back to this process makes the metadata be read again`() throws {
        var discovery = EndpointDiscovery()
        let key = try Self.key()
        let grant = try Self.grant(key)
        _ = try discovery.readingEnded(key, .success(try Self.metadata("token")), Sample.start)
        let failure = TokenAnswer(from: try TokenURL("https://idp.test/token"), to: grant, hiding: [])
            .unreachable(TokenTransportError(message: "it is a listener", leadsBack: true))
        for _ in 0..<2 {
            #expect(discovery.metadata(of: key, Sample.start) != nil)
            discovery.endpointEnded(of: grant, failure)
        }
        #expect(discovery.metadata(of: key, Sample.start) == nil)
    }

    @Test(arguments: [true, false])
    func `A search that leads back to this process is not repeated soon`(leadsBack: Bool) throws {
        var search = MetadataSearch(try Self.key())
        let failure = #expect(throws: FetchFailure.self) {
            try search.answered(.failure(TokenTransportError(message: "it is a listener", leadsBack: leadsBack)))
        }
        #expect(failure?.isDefinitive == leadsBack)
        #expect(failure?.error.kind == (leadsBack ? .tokenServerLeadsBack : .tokenServerUnreachable))
    }

    @Test func `A search asks one address after the other, and says why none is usable`() throws {
        let key = try Self.key()
        var search = MetadataSearch(key)
        var asked: [String] = []
        while let request = search.request {
            asked.append(request.url.description)
            #expect(try search.answered(.success(TokenResponse(status: 404, body: []))) == nil)
        }
        #expect(asked == key.issuer.metadataURLs.map(\.description))
        #expect(search.failure.error.kind == .badMetadata)
        #expect(search.failure.error.message.contains("404"))
    }

    @Test func `A search ends with the first metadata, or with a server that does not answer`() throws {
        var search = MetadataSearch(try Self.key())
        let body = #"{"issuer":"https://idp.test/a","token_endpoint":"https://idp.test/token"}"#
        let response = TokenResponse(status: 200, body: Array(body.utf8))
        #expect(try search.answered(.success(response)) == Self.metadata("token"))
        var broken = MetadataSearch(try Self.key())
        #expect(throws: FetchFailure.self) {
            try broken.answered(.failure(TokenTransportError(message: "reset", isLocal: true)))
        }
    }
}
