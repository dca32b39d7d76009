import Support
import Testing

@Suite("A connection that an app has authenticated (NTLM, Negotiate) serves no other app")
struct ConnectionAuthenticationTests {
    private static let challenge = Scripts.response(
        "", status: "401 Unauthorized", fields: "WWW-Authenticate: Basic realm=\"x\", NTLM\r\n")

    @Test(
        "The next request uses another connection, but shares one that an app has not authenticated",
        arguments: [
            ("Authorization: NTLM TlRMTVNTUAAB\r\n", false, 2), ("Authorization: Negotiate YII=\r\n", false, 2),
            ("", true, 2), ("Authorization: Basic c3R1ZmY6c3R1ZmY=\r\n", false, 1),
        ])
    func next(_ fields: String, _ isChallenged: Bool, _ connectionCount: Int) throws {
        let script = isChallenged ? Scripts.always(Self.challenge) : Scripts.ok
        try withScene(Layout(route: ["credential: none"]), backend: script) { scene in
            #expect(try scene.get(fields: fields).status == (isChallenged ? 401 : 200))
            #expect(scene.backend.connectionCount == 1)
            _ = try scene.get()
            #expect(scene.backend.connectionCount == connectionCount)
        }
    }
}
