import Support
import Testing

/// Refuses the first token of every value.
private let refusingOdd = ScriptedServer.answering { request in
    let token = request.fields["Authorization"] ?? ""
    let number = Int(token.split(separator: "-").dropFirst().first ?? "") ?? 0
    guard number % 2 == 1 else { return Scripts.response(token) }
    return Scripts.response(
        "refused", status: "401 Unauthorized", fields: "WWW-Authenticate: Bearer error=\"invalid_token\"\r\n")
}

@Suite("A credential whose token depends on the request")
struct ParameterisedCredentialTests {
    private static let tenants = Layout(credential: ["scope: 'read:{header:X-Tenant}'"])

    @Test("has one token for each value, and the field with the value is not forwarded")
    func values() throws {
        try withScene(Self.tenants) { scene in
            for tenant in ["north", "south", "north", "south"] {
                let response = try scene.get(fields: "x-tenant: \(tenant)\r\nX-Other: 1\r\n")
                #expect(response.status == 200, "\(response)")
            }
            let sent = scene.backend.requests.map { $0.fields.all("Authorization") }
            let tokens = scene.tokens.tokens
            #expect(tokens.count == 2)
            #expect(sent == [0, 1, 0, 1].map { ["Bearer \(tokens[$0])"] })
            #expect(scene.backend.requests.allSatisfy { $0.fields["X-Tenant"] == nil && $0.fields["X-Other"] == "1" })
            #expect(scene.tokens.requests.map { $0.text.contains("scope=read%3Anorth") } == [true, false])
        }
    }

    @Test("uses the host that the request goes to, in lower case")
    func host() throws {
        let layout = Layout(
            match: "{ host: \"*.test\" }", upstream: "http://{backend}", credential: ["audience: 'https://{host}/'"])
        try withScene(layout) { scene in
            let client = try scene.client()
            defer { client.close() }
            for host in ["a.test", "A.TEST", "b.test"] {
                let response = try client.get("http://\(host)/")
                #expect(response.status == 200, "\(response)")
            }
            #expect(scene.tokens.requests.count == 2)
            #expect(scene.tokens.requests.first?.text.contains("audience=https%3A%2F%2Fa.test%2F") == true)
        }
    }

    @Test(
        "answers 400 if the request lacks the value, and asks no token server",
        arguments: [
            "", "X-Tenant: a b\r\n", "X-Tenant:\r\n", "X-Tenant: \u{e9}\r\n", "X-Tenant: a\r\nx-tenant: a\r\n",
            "X-Tenant: \(String(repeating: "a", count: 256))\r\n",
        ])
    func unusable(_ fields: String) throws {
        try withScene(Self.tenants) { scene in
            try expectOwnAnswer(scene.get(fields: fields), 400, mentions: ["x-tenant", "send"])
            #expect(scene.backend.heads.isEmpty)
            #expect(scene.tokens.requests.isEmpty)
        }
    }

    @Test("replaces the refused token of one value, and no other")
    func refused() throws {
        try withScene(Self.tenants, backend: refusingOdd) { scene in
            func expect(_ tenant: String, _ token: String) throws {
                let response = try scene.get(fields: "X-Tenant: \(tenant)\r\n")
                #expect(response.text.hasPrefix(token), "\(response)")
            }
            try expect("north", "Bearer canary-2-")
            try expect("south", "Bearer canary-4-")
            try expect("north", "Bearer canary-2-")
            #expect(scene.tokens.requests.count == 4)
        }
    }

    @Test("keeps as many tokens as the cache holds, and an evicted one costs one fetch")
    func evicted() throws {
        var layout = Self.tenants
        layout.top = ["cacheSize: 2"]
        try withScene(layout) { scene in
            let client = try scene.client()
            defer { client.close() }
            for tenant in ["a", "b", "a", "c", "a", "b"] {
                let response = try client.get(scene.url + "/", fields: "X-Tenant: \(tenant)\r\n")
                #expect(response.status == 200, "\(response)")
            }
            // "a" is used all the time, "b" had to leave for "c".
            #expect(scene.tokens.requests.count == 4)
            let page = try scene.proxy.admin("/metrics").text
            #expect(page.contains("attache_token_values{credential=\"main\"} 2\n"))
        }
    }

    @Test("is ready before the first request")
    func ready() throws {
        try withScene(Self.tenants) { scene in
            let page = try scene.proxy.admin("/readyz").text
            #expect(page == "ready\ncredential main: ready, tokens for 0 values kept\n")
            #expect(scene.tokens.requests.isEmpty)
        }
    }
}
