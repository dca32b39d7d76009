import Support
import Testing

@Suite("Tokens bound to a key (DPoP)")
struct BoundTokenTests {
    private static let token = FakeTokenEndpoint.Answer.status(
        200, #"{"access_token":"canary-t1","token_type":"DPoP","expires_in":3600}"#)
    private static let tokens = (1...3).map { number in
        FakeTokenEndpoint.Answer.status(
            200, "{\"access_token\":\"canary-t\(number)\",\"token_type\":\"DPoP\",\"expires_in\":3600}")
    }
    private static let layout = Layout(credential: ["dpop: true"])

    /// Answers as a backend that wants these nonces, one after the other.
    private static func wanting(_ nonces: [String]) -> ScriptedServer.Script {
        let left = Monitor(nonces)
        return ScriptedServer.answering { request in
            let proof = try? DPoPProof(request.fields["DPoP"] ?? "")
            let wanted = left.access { left in
                if left.first == proof?.claims["nonce"]?.string { left.removeFirst() }
                return left.first
            }
            guard let wanted else { return Scripts.response(request.text) }
            return Scripts.response(
                "refused", status: "401 Unauthorized",
                fields: "WWW-Authenticate: DPoP error=\"use_dpop_nonce\"\r\nDPoP-Nonce: \(wanted)\r\n")
        }
    }

    /// The proof of a request, which must hold exactly one, and one credential, as its last lines.
    private func proof(_ request: ReceivedRequest) throws -> DPoPProof {
        #expect(request.fields.all("Authorization") == ["DPoP canary-t1"])
        #expect(request.fields.all("DPoP").count == 1)
        let lines = request.head.split(separator: "\r\n").suffix(2)
        #expect(lines.first?.hasPrefix("Authorization: DPoP ") == true)
        #expect(lines.last?.hasPrefix("DPoP: ") == true)
        let proof = try DPoPProof(try #require(request.fields["DPoP"]))
        #expect(proof.isSigned)
        #expect(proof.claims["ath"]?.string == DPoPProof.hash(of: "canary-t1"))
        return proof
    }

    @Test("Each request carries the token and a proof of its own, and the app's proof is dropped")
    func forwarded() throws {
        try withScene(Self.layout, then: Self.token) { scene in
            let client = try scene.client()
            defer { client.close() }
            for (method, target) in [("GET", "/a/b?q=1"), ("POST", "/"), ("DELETE", "/%41;x")] {
                let fields =
                    "DPoP: mine\r\ndpop: mine\r\nConnection: DPoP, Authorization\r\nAuthorization: DPoP mine\r\n"
                let response = try client.get(scene.url + target, fields: fields, method: method)
                #expect(response.status == 200)
            }
            let proofs = try scene.backend.requests.map(proof)
            #expect(proofs.map { $0.claims["htm"]?.string } == ["GET", "POST", "DELETE"])
            #expect(proofs.map { $0.claims["htu"]?.string } == ["/a/b", "/", "/%41;x"].map { scene.url + $0 })
            #expect(Set(proofs.compactMap { $0.claims["jti"]?.string }).count == 3)
            let asked = try DPoPProof(try #require(scene.tokens.requests.first?.fields["DPoP"]))
            #expect(asked.isSigned)
            #expect(proofs.allSatisfy { $0.header == asked.header })
        }
    }

    @Test("A nonce that the backend asks for is sent in one repetition, with a new proof and the body")
    func nonce() throws {
        try withScene(Self.layout, then: Self.token, backend: Self.wanting(["n1"])) { scene in
            let body = String(repeating: "b", count: 20_000)
            let client = try scene.client()
            defer { client.close() }
            let response = try client.exchange(
                "POST \(scene.url)/x HTTP/1.1\r\nHost: x\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)")
            #expect(response.status == 200)
            #expect(response.text == body)
            let proofs = try scene.backend.requests.map(proof)
            #expect(proofs.map { $0.claims["nonce"]?.string } == [nil, "n1"])
            #expect(proofs[0].claims["jti"] != proofs[1].claims["jti"])
            // The token is not what was refused.
            #expect(scene.tokens.requests.count == 1)
            #expect(try client.get(scene.url + "/y").status == 200)
            #expect(try proof(try #require(scene.backend.requests.last)).claims["nonce"]?.string == "n1")
        }
    }

    @Test("The repetition has the nonce of its own refusal, although other responses have brought newer ones")
    func ownNonce() throws {
        let script = ScriptedServer.answering { request in
            let nonce = try DPoPProof(request.fields["DPoP"] ?? "").claims["nonce"]?.string
            let path = String(request.target.dropFirst())
            // Each path has a nonce of its own, and takes no other.
            guard nonce != path else { return Scripts.response(path) }
            return Scripts.response(
                "refused", status: "401 Unauthorized",
                fields: "WWW-Authenticate: DPoP error=\"use_dpop_nonce\"\r\nDPoP-Nonce: \(path)\r\n")
        }
        try withScene(Self.layout, then: Self.token, backend: script) { scene in
            let clients = try (0..<8).map { _ in try scene.client() }
            defer { for client in clients { client.close() } }
            for _ in 0..<20 {
                for (number, client) in clients.enumerated() {
                    try client.send("GET \(scene.url)/n\(number) HTTP/1.1\r\nHost: x\r\n\r\n")
                }
                for (number, client) in clients.enumerated() {
                    let response = try client.response()
                    #expect(response.status == 200)
                    #expect(response.text == "n\(number)")
                }
            }
        }
    }

    @Test("If the backend asks for another nonce at once, the app gets the refusal, and the next request has the nonce")
    func again() throws {
        try withScene(Self.layout, then: Self.token, backend: Self.wanting(["n1", "n2"])) { scene in
            let first = try scene.get("/")
            #expect(first.status == 401)
            #expect(first.text == "refused")
            #expect(try scene.get("/").status == 200)
            let nonces = try scene.backend.requests.map { try proof($0).claims["nonce"]?.string }
            #expect(nonces == [nil, "n1", "n2"])
        }
    }

    @Test(
        "A request is sent again once for a nonce and once for another token, in any order",
        arguments: [true, false])
    func nonceAndToken(asksForNonceFirst: Bool) throws {
        let script = ScriptedServer.answering { request in
            let hasNonce = try DPoPProof(request.fields["DPoP"] ?? "").claims["nonce"]?.string == "n1"
            let hasToken = request.fields["Authorization"] == "DPoP canary-t2"
            if hasNonce, hasToken { return Scripts.response(request.text) }
            let asksForNonce = !hasNonce && (asksForNonceFirst || hasToken)
            return Scripts.response(
                "refused", status: "401 Unauthorized",
                fields: asksForNonce
                    ? "WWW-Authenticate: DPoP error=\"use_dpop_nonce\"\r\nDPoP-Nonce: n1\r\n"
                    : "WWW-Authenticate: DPoP error=\"invalid_token\"\r\n")
        }
        try withScene(Self.layout, tokens: Self.tokens, backend: script) { scene in
            let client = try scene.client()
            defer { client.close() }
            let response = try client.exchange(
                "POST \(scene.url)/ HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\n\r\nbody")
            #expect(response.status == 200)
            #expect(scene.backend.requests.map(\.text) == ["body", "body", "body"])
            #expect(scene.tokens.requests.count == 2)
        }
    }

    @Test("A backend that keeps refusing is asked three times, and the app gets its last refusal")
    func refusedForEver() throws {
        let answers = Monitor(0)
        let script = ScriptedServer.answering { _ in
            let number = answers.access { count in
                count += 1
                return count
            }
            let error = number % 2 == 1 ? "use_dpop_nonce" : "invalid_token"
            return Scripts.response(
                "\(number)", status: "401 Unauthorized",
                fields: "WWW-Authenticate: DPoP error=\"\(error)\"\r\nDPoP-Nonce: n\(number)\r\n")
        }
        try withScene(Self.layout, tokens: Self.tokens, backend: script) { scene in
            let response = try scene.get("/")
            #expect(response.status == 401)
            #expect(response.text == "3")
            #expect(scene.backend.requests.count == 3)
        }
    }

    @Test("A body larger than replayBytes is not sent twice: the app gets the refusal")
    func largeBody() throws {
        var layout = Self.layout
        layout.limits = ["replayBytes: 1KiB"]
        try withScene(layout, then: Self.token, backend: Self.wanting(["n1"])) { scene in
            let client = try scene.client()
            defer { client.close() }
            let body = String(repeating: "b", count: 100_000)
            let response = try client.exchange(
                "POST \(scene.url)/ HTTP/1.1\r\nHost: x\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)")
            #expect(response.status == 401)
            #expect(try scene.get("/").status == 200)
            #expect(scene.backend.requests.count == 2)
        }
    }

    @Test(
        "A body of exactly replayBytes is sent twice, however long a proof is",
        arguments: [(20_000, 200), (20_001, 401)])
    func exactBody(size: Int, status: Int) throws {
        var layout = Self.layout
        layout.limits = ["replayBytes: 20000"]
        try withScene(layout, then: Self.token, backend: Self.wanting(["n1"])) { scene in
            let client = try scene.client()
            defer { client.close() }
            try client.send("POST \(scene.url)/ HTTP/1.1\r\nHost: x\r\nContent-Length: \(size)\r\n\r\n")
            try scene.backend.wait("the head") { $0.heads.count == 1 }
            try client.send(String(repeating: "b", count: size))
            #expect(try client.response(to: "POST").status == status)
        }
    }

    @Test("A nonce in any response is used from then on, and an invalid one is ignored")
    func newest() throws {
        let answers = Monitor(["n1", "n2", "a \"b", "n3"])
        let script = ScriptedServer.answering { request in
            let nonce = answers.access { $0.isEmpty ? "n4" : $0.removeFirst() }
            return Scripts.response(request.target, fields: "DPoP-Nonce: \(nonce)\r\n")
        }
        try withScene(Self.layout, then: Self.token, backend: script) { scene in
            for _ in 0..<5 { #expect(try scene.get("/").status == 200) }
            let nonces = try scene.backend.requests.map { try proof($0).claims["nonce"]?.string }
            #expect(nonces == [nil, "n1", "n2", "n2", "n3"])
        }
    }

    @Test("A nonce requested while an app reads late is sent in one repetition, however the refused connection ends")
    func lateReader() throws {
        let reader = LateReader()
        let script = reader.backend { connection in
            try connection.send(
                "HTTP/1.1 401 No\r\nWWW-Authenticate: DPoP error=\"use_dpop_nonce\"\r\nDPoP-Nonce: n1\r\n"
                    + "Content-Length: 7\r\n\r\n")
            try? connection.send("refused")
            connection.receiveUntilEnd()
        }
        try withScene(Self.layout, then: Self.token, backend: script) { scene in
            let client = try reader.client(in: scene)
            defer { client.close() }
            try reader.catchUp(client, in: scene)
            #expect(try client.response().status == 200)
        }
    }

    @Test("A request that is sent again after its connection was lost has a new proof")
    func lost() throws {
        let script: ScriptedServer.Script = { connection in
            guard try connection.request() != nil else { return }
            try connection.send(Scripts.response("one"))
            _ = try connection.request()
        }
        try withScene(Self.layout, then: Self.token, backend: script) { scene in
            let client = try scene.client()
            defer { client.close() }
            #expect(try client.get(scene.url + "/1").status == 200)
            #expect(try client.get(scene.url + "/2").status == 200)
            let proofs = try scene.backend.requests.map(proof)
            #expect(scene.backend.requests.map(\.target) == ["/1", "/2", "/2"])
            #expect(Set(proofs.compactMap { $0.claims["jti"]?.string }).count == 3)
        }
    }
}
