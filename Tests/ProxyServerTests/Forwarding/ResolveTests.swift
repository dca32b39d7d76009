import Support
import Testing

@Suite("A name with an address from the configuration")
struct ResolveTests {
    @Test("is not looked up: backend, token server and tunnel are reached, with the name in Host")
    func everywhere() throws {
        let layout = Layout(
            route: ["allowPlaintext: true", "connect: tunnel"], match: "{ host: backend.test }",
            upstream: "http://backend.test:{port}", tokenURL: "{tokens}", credential: ["allowPlaintext: true"],
            top: ["resolve: { \"backend.test:{port}\": 127.0.0.1, tokens.test: [127.0.0.1] }"])
        try withScene(layout) { scene in
            let client = try scene.client()
            defer { client.close() }
            #expect(try client.get("http://backend.test/x").status == 200)
            let authority = "backend.test:\(scene.backend.port)"
            #expect(scene.backend.requests.first?.fields["Host"] == authority)
            #expect(scene.tokens.requests.first?.fields["Host"] == "tokens.test:\(scene.tokens.port)")
            try client.send("CONNECT \(authority) HTTP/1.1\r\nHost: x\r\n\r\n")
            #expect(try client.response(to: "CONNECT").status == 200)
            #expect(try client.exchange("GET /inside HTTP/1.1\r\nHost: x\r\n\r\n").status == 200)
            #expect(scene.backend.requests.last?.target == "/inside")
        }
    }
}
