import Support
import Testing

@Suite("A credential is attached")
struct CredentialAttachmentTests {
    @Test("A plain request is sent in origin-form with the token, the target's Host and a Via")
    func plainRequest() throws {
        try withScene { scene in
            let response = try scene.get("/db/doc?rev=1", fields: "Accept: text/plain\r\n")
            #expect(response.status == 200, "\(response)")
            #expect(response.text == "/db/doc?rev=1")
            let request = try #require(scene.backend.requests.first)
            #expect(request.method == "GET")
            #expect(request.target == "/db/doc?rev=1")
            #expect(request.version == "HTTP/1.1")
            #expect(request.fields.all("Host") == [scene.backend.authority])
            #expect(request.fields.all("Authorization") == ["Bearer \(try #require(scene.tokens.tokens.first))"])
            #expect(request.fields.all("Accept") == ["text/plain"])
            #expect(request.fields["Via"]?.hasPrefix("1.1 ") == true)
            #expect(response.fields["Via"]?.hasPrefix("1.1 ") == true)
        }
    }

    @Test("A route that keeps the app's Authorization sends it or the token, and refuses two")
    func kept() throws {
        try withScene(Layout(route: ["authorization: keep"])) { scene in
            let basic = "Authorization: Basic c3R1ZmY6c3R1ZmY=\r\n"
            #expect(try scene.get(fields: basic).status == 200)
            #expect(try scene.get().status == 200)
            try expectOwnAnswer(
                scene.get(fields: basic + "authorization: Bearer second\r\n"), 400,
                mentions: ["Authorization", "send one"])
            #expect(
                scene.backend.heads.map { $0.fields.all("Authorization") }
                    == [["Basic c3R1ZmY6c3R1ZmY="], ["Bearer \(try #require(scene.tokens.tokens.first))"]])
        }
    }

    @Test("A credential can use another field without a scheme")
    func otherField() throws {
        let layout = Layout(
            route: ["credential: key"],
            credentialsBefore: ["key: { type: static, value: canary-key-77, header: X-Api-Key, scheme: none }"])
        try withScene(layout) { scene in
            _ = try scene.get(fields: "X-Api-Key: mine\r\n")
            let request = try #require(scene.backend.requests.first)
            #expect(request.fields.all("X-Api-Key") == ["canary-key-77"])
            #expect(request.fields["Authorization"] == nil)
        }
    }

    @Test("A token is read from a file")
    func fileCredential() throws {
        let directory = try TemporaryDirectory()
        defer { directory.remove() }
        let path = try directory.write("canary-file-5\n", to: "token")
        let layout = Layout(
            route: ["credential: mounted"], credentialsBefore: ["mounted: { type: file, path: \(path) }"])
        try withScene(layout) { scene in
            let response = try scene.get()
            #expect(response.status == 200, "\(response)")
            #expect(scene.backend.requests.first?.fields.all("Authorization") == ["Bearer canary-file-5"])
        }
    }

    @Test(
        "A file without a valid token or field value is a 503, and its content is never sent",
        arguments: ["scheme: Bearer", "scheme: none", "header: X-Api-Key, scheme: none"],
        ["canary\r\nX-Evil: 1", "canary\nGET / HTTP/1.1", "canary\u{0}"])
    func unusableFile(_ settings: String, _ content: String) throws {
        let directory = try TemporaryDirectory()
        defer { directory.remove() }
        let path = try directory.write(content, to: "token")
        let layout = Layout(
            route: ["credential: mounted"],
            credentialsBefore: ["mounted: { type: file, path: \(path), \(settings) }"])
        try withScene(layout) { scene in
            let response = try scene.get()
            try expectOwnAnswer(response, 503)
            #expect(!response.text.contains("canary"))
            #expect(scene.backend.heads.isEmpty)
        }
    }
}
