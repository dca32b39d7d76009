import Support
import Testing

@Suite("A token on behalf of the app's caller")
struct OnBehalfOfTests {
    private static let layout = Layout(
        route: ["credential: exchanged"],
        credentialsBefore: [
            "exchanged: { type: tokenExchange, tokenUrl: \"{token}\", subjectToken: { header: Authorization } }"
        ])

    @Test("replaces the request's own token, and each of those is exchanged once")
    func exchanged() throws {
        try withScene(Self.layout) { scene in
            let given = scene.tokens.tokens.count
            for subject in ["alice", "bob", "alice"] {
                let response = try scene.get(fields: "Authorization: bearer  \(subject)\r\n")
                #expect(response.status == 200, "\(response)")
            }
            let exchanges = scene.tokens.requests.map(\.text).filter { $0.contains("subject_token=") }
            #expect(exchanges.map { $0.contains("subject_token=alice&") } == [true, false])
            let sent = scene.backend.requests.map { $0.fields.all("Authorization") }
            #expect(sent[0] == sent[2] && sent[0] != sent[1])
            #expect(sent.allSatisfy { $0.count == 1 && $0[0].hasPrefix("Bearer canary-") })
            #expect(scene.tokens.tokens.count <= given + 3)
        }
    }

    @Test("reports the token server's refusal of the request's own token, and shows that token nowhere")
    func refused() throws {
        let refusal = FakeTokenEndpoint.Answer.status(400, "{\"error\":\"invalid_grant\"}")
        try withScene(Self.layout, then: refusal) { scene in
            let response = try scene.get(fields: "Authorization: Bearer canary-subject\r\n")
            try expectOwnAnswer(response, 401)
            #expect(response.fields.all("WWW-Authenticate") == ["Bearer error=\"invalid_token\""])
            #expect(!response.text.contains("canary"))
            let log = try scene.accessLog(1).joined()
            #expect(!log.contains("canary"))
            // Whoever sends rubbish writes nothing into the log, and nothing over what is wrong with the credential.
            let told = scene.proxy.log.text.split(separator: "\n").filter { !$0.hasPrefix("debug ") }
            #expect(!told.contains { $0.contains("exchanged") }, "\(told)")
            for page in ["/readyz", "/metrics"] {
                let text = try scene.proxy.admin(page).text
                #expect(!text.contains("canary"))
            }
        }
    }
}
