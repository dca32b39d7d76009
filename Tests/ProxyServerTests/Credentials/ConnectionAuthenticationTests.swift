import Support
import Testing

@Suite("A connection that an app has authenticated (NTLM, Negotiate) serves no other app")
struct ConnectionAuthenticationTests {
    private static let challenge = Scripts.response(
        "", status: "401 Unauthorized", fields: "WWW-Authenticate: Basic realm=\"x\", NTLM\r\n")

    @Test(
        "The next request uses another connection", arguments: ["NTLM TlRMTVNTUAAB", "Negotiate YII=", nil])
    func notShared(_ own: String?) throws {
        let script = own == nil ? Scripts.always(Self.challenge) : Scripts.ok
        try withScene(Layout(route: ["credential: none"]), backend: script) { scene in
            let fields = own.map { "Authorization: \($0)\r\n" } ?? ""
            #expect(try scene.get(fields: fields).status == (own == nil ? 401 : 200))
            #expect(scene.backend.connectionCount == 1)
            _ = try scene.get()
            #expect(scene.backend.connectionCount == 2)
        }
    }

    @Test("Other requests still share one")
    func othersShare() throws {
        try withScene(Layout(route: ["credential: none"])) { scene in
            _ = try scene.get(fields: "Authorization: Basic c3R1ZmY6c3R1ZmY=\r\n")
            _ = try scene.get()
            #expect(scene.backend.connectionCount == 1)
        }
    }
}
