import Support
import Testing

@Suite("Secrets stay secret")
struct SecrecyTests {
    @Test("No token, secret, query or foreign credential appears in any log, page or error body")
    func nothingShows() throws {
        let script: ScriptedServer.Script = { connection in
            while let request = try connection.request() {
                switch request.target.prefix(6) {
                case "/cut": try connection.send("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhello")
                case "/bad": try connection.send("canary-rubbish\r\n\r\n")
                default:
                    try connection.send(Scripts.response("ok"))
                    continue
                }
                return
            }
        }
        // The second token is malformed, so that a failing refresh is among the things that are logged.
        let tokens: [FakeTokenEndpoint.Answer] = [
            .token(expiresIn: "1"), .status(200, "{\"access_token\":\"canary-bro ken\",\"expires_in\":1}"),
            .status(401, "{\"error\":\"invalid_client\",\"error_description\":\"canary-secret-0451 is wrong\"}"),
        ]
        try withScene(Layout(limits: ["headTimeout: 100ms"]), tokens: tokens, backend: script) { scene in
            var bodies: [String] = []
            let own =
                "Authorization: Bearer canary-own\r\nProxy-Authorization: Basic canary-proxy\r\nCookie: canary-cookie\r\n"
            func request(_ bytes: String) throws {
                let client = try scene.client()
                defer { client.close() }
                try client.send(bytes)
                if let response = try? client.response() { bodies.append(response.head + response.text) }
            }
            func get(_ url: String) throws {
                try request("GET \(url)?q=canary-query HTTP/1.1\r\nHost: x\r\n\(own)\r\n")
            }
            try get("\(scene.url)/fine")
            try get("\(scene.url)/cut")
            try get("\(scene.url)/bad")
            try get("http://denied.example/")
            try get("http://canary-user:canary-pw@127.0.0.1/")
            try request("GET \(scene.url)/?canary-query HTTP/1.1\r\nHost: x\r\n\(own)Bad Name: canary-value\r\n\r\n")
            try request("canary-garbage\r\n\r\n")
            try request("GET \(scene.url)/?canary-query HTTP/1.1\r\nHost: x\r\n\(own)")
            try request("CONNECT 127.0.0.1:1 HTTP/1.1\r\nHost: 127.0.0.1:1\r\n\(own)\r\n")
            try scene.tokens.waitForRequests(3)
            try get("\(scene.url)/after")
            for page in ["/livez", "/readyz", "/metrics", "/credentials", "/", "/nowhere?canary-query"] {
                bodies.append(try scene.proxy.admin(page).text)
            }
            let lines = try scene.accessLog(4)
            let base64 = "bXktYXBwOmNhbmFyeS1zZWNyZXQtMDQ1MQ"
            for text in bodies + lines + [scene.proxy.log.text] {
                #expect(!text.contains("canary"), "\(text)")
                #expect(!text.contains(base64), "\(text)")
            }
            #expect(scene.backend.requests.contains { $0.head.contains("canary-query") })
        }
    }

    @Test("The secret is sent to its token server only, and the token to its backend only")
    func onlyWhereTheyBelong() throws {
        try withScene { scene in
            let response = try scene.get()
            let token = try #require(scene.tokens.tokens.first)
            #expect(!String(decoding: response.raw, as: UTF8.self).contains(token))
            #expect(scene.tokens.requests.allSatisfy { !$0.head.contains(token) && !$0.text.contains(token) })
            #expect(scene.backend.requests.allSatisfy { !$0.head.contains("canary-secret") })
        }
    }
}
