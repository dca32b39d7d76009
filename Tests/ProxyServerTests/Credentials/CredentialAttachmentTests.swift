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

    @Test("The app's own Authorization is replaced by default")
    func replaced() throws {
        try withScene { scene in
            _ = try scene.get(fields: "Authorization: Basic c3R1ZmY6c3R1ZmY=\r\nauthorization: Bearer second\r\n")
            let request = try #require(scene.backend.requests.first)
            #expect(request.fields.all("Authorization") == ["Bearer \(try #require(scene.tokens.tokens.first))"])
        }
    }

    @Test("The app's own Authorization is kept if the route says so, and the token is not attached")
    func kept() throws {
        try withScene(Layout(route: ["authorization: keep"])) { scene in
            _ = try scene.get(fields: "Authorization: Basic c3R1ZmY6c3R1ZmY=\r\n")
            #expect(scene.backend.requests.first?.fields.all("Authorization") == ["Basic c3R1ZmY6c3R1ZmY="])
        }
    }

    @Test(
        "Two Authorization lines of the app are never both forwarded",
        arguments: ["authorization: keep", "credential: none"])
    func twoAuthorizations(_ route: String) throws {
        try withScene(Layout(route: [route])) { scene in
            let fields = "Authorization: Basic c3R1ZmY6c3R1ZmY=\r\nauthorization: Bearer second\r\n"
            try expectOwnAnswer(scene.get(fields: fields), 400, mentions: ["Authorization", "send one"])
            #expect(scene.backend.heads.isEmpty)
        }
    }

    @Test("A route that keeps the app's Authorization attaches the token when the app sends none")
    func keptButAbsent() throws {
        try withScene(Layout(route: ["authorization: keep"])) { scene in
            _ = try scene.get()
            let token = try #require(scene.tokens.tokens.first)
            #expect(scene.backend.requests.first?.fields.all("Authorization") == ["Bearer \(token)"])
        }
    }

    @Test(
        "An app cannot delete the credential by naming it in Connection",
        arguments: ["Authorization", "authorization, close", "x-other, AUTHORIZATION", "keep-alive,authorization"])
    func connectionNamesAuthorization(_ names: String) throws {
        try withScene { scene in
            let response = try scene.get(fields: "Connection: \(names)\r\nAuthorization: Bearer mine\r\n")
            #expect(response.status == 200, "\(response)")
            let token = try #require(scene.tokens.tokens.first)
            #expect(scene.backend.requests.first?.fields.all("Authorization") == ["Bearer \(token)"])
        }
    }

    @Test("A kept Authorization that Connection names is dropped, and the token replaces it or none is sent")
    func keptButNamed() throws {
        try withScene(Layout(route: ["authorization: keep"])) { scene in
            _ = try scene.get(fields: "Connection: authorization\r\nAuthorization: Bearer mine\r\n")
            #expect(scene.backend.requests.first?.fields.all("Authorization").contains("Bearer mine") == false)
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

    @Test("With authorization: keep, the app's own Authorization excludes a credential in another field")
    func onlyOneLeaves() throws {
        let layout = Layout(
            route: ["credential: key", "authorization: keep"],
            credentialsBefore: ["key: { type: static, value: canary-key-77, header: X-Api-Key, scheme: none }"])
        try withScene(layout) { scene in
            _ = try scene.get(fields: "Authorization: Bearer mine\r\nX_Api_Key: mine\r\n")
            let request = try #require(scene.backend.requests.first)
            #expect(request.fields.all("Authorization") == ["Bearer mine"])
            #expect(request.fields["X-Api-Key"] == nil && request.fields["X_Api_Key"] == nil)
            _ = try scene.get()
            #expect(scene.backend.requests.last?.fields.all("X-Api-Key") == ["canary-key-77"])
            let both = "Authorization: Bearer mine\r\nX-Api-Key: mine\r\n"
            try expectOwnAnswer(scene.get(fields: both), 400, mentions: ["send one"])
            #expect(scene.backend.requests.count == 2)
        }
    }

    @Test("A route with credential none forwards without a token")
    func noCredential() throws {
        try withScene(Layout(route: ["credential: none"])) { scene in
            let response = try scene.get()
            #expect(response.status == 200, "\(response)")
            #expect(scene.backend.requests.first?.fields["Authorization"] == nil)
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

    @Test(
        "Several methods are forwarded under their own names",
        arguments: ["GET", "POST", "PUT", "DELETE", "PATCH", "OPTIONS", "PROPFIND"])
    func methods(_ method: String) throws {
        try withScene { scene in
            let response = try scene.get("/x", method: method)
            #expect(response.status == 200, "\(response)")
            let request = try #require(scene.backend.requests.first)
            #expect(request.method == method)
            #expect(request.fields.all("Authorization").count == 1)
        }
    }

    @Test("The token request is a POST with Basic authentication and the grant in its body")
    func tokenRequest() throws {
        try withScene(Layout(credential: ["scope: read write"])) { scene in
            _ = try scene.get()
            let request = try #require(scene.tokens.requests.first)
            #expect(request.method == "POST")
            #expect(request.target == "/token")
            #expect(request.fields.all("Host") == ["127.0.0.1:\(scene.tokens.port)"])
            #expect(request.fields.all("Content-Type") == ["application/x-www-form-urlencoded"])
            #expect(request.fields.all("Authorization") == ["Basic bXktYXBwOmNhbmFyeS1zZWNyZXQtMDQ1MQ=="])
            let parameters = Set(request.text.split(separator: "&").map(String.init))
            #expect(
                parameters.subtracting(["scope=read%20write", "scope=read+write"]) == ["grant_type=client_credentials"])
            #expect(parameters.count == 2)
        }
    }
}
