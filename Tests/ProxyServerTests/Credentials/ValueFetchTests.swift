import Support
import Testing

@Suite("Fetches of request-dependent tokens")
struct ValueFetchTests {
    private static let layout = Layout(
        credential: ["scope: 'read:{header:X-Tenant}'"],
        routesBefore: [
            "{ name: plain, match: { host: 127.0.0.1, port: {port}, pathPrefix: /plain }, upstream: \"http://{backend}\", credential: plain }"
        ],
        credentialsBefore: [
            "plain: { type: clientCredentials, tokenUrl: \"{token}\", clientId: a, clientSecret: canary-b }"
        ],
        top: ["cacheSize: 4"])

    @Test("are limited while the token server is slow, delay no other request, and are all served once it answers")
    func bounded() throws {
        let gate = Gate()
        defer { gate.open() }
        let held = FakeTokenEndpoint.Answer.held(gate, .token(expiresIn: "3600"))
        try withScene(Self.layout, tokens: [.token(expiresIn: "3600")], then: held) { scene in
            try scene.tokens.waitForTokens(1)
            let waiting = try (0..<4).map { number in
                let client = try scene.client()
                try client.send("GET \(scene.url)/ HTTP/1.1\r\nHost: a\r\nX-Tenant: t\(number)\r\n\r\n")
                return client
            }
            defer { for client in waiting { client.close() } }
            try scene.tokens.waitForRequests(5)
            for number in 4..<40 {
                // Most apps that send rubbish do not wait for what becomes of it.
                let hasty = try scene.client()
                try hasty.send("GET \(scene.url)/ HTTP/1.1\r\nHost: a\r\nX-Tenant: h\(number)\r\n\r\n")
                hasty.close()
                let response = try scene.get(fields: "X-Tenant: t\(number)\r\n")
                try expectOwnAnswer(response, 503, mentions: ["cacheSize"])
                #expect(response.fields["Retry-After"] == "1")
            }
            #expect(try scene.get("/plain").status == 200)
            #expect(scene.tokens.requests.count == 5)
            gate.open()
            for client in waiting {
                let response = try client.response()
                #expect(response.status == 200)
            }
            let response = try scene.get(fields: "X-Tenant: t39\r\n")
            #expect(response.status == 200)
        }
    }
}
