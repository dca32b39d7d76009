import Support
import Testing

@Suite("A request that would come back to Attaché")
struct LoopTests {
    private static let gateway = "{ address: 127.0.0.1:0, mode: gateway, route: main }"

    /// An address for a listener that a configuration can name before it is bound: below the ports that the system
    /// chooses, and probably of no other process.
    private static var address: (host: String, port: Int) {
        let numbers = (0..<3).map { _ in "\(Int.random(in: 1...254))" }
        return ("127." + numbers.joined(separator: "."), Int.random(in: 20_000...30_000))
    }

    @Test(
        "is answered with 508 if its target is a listener, by whatever name",
        arguments: ["127.0.0.1", "localhost", "LOCALHOST.", "[::ffff:127.0.0.1]", "0.0.0.0"])
    func direct(_ host: String) throws {
        let layout = Layout(listeners: ["{ address: 127.0.0.1:0 }", Self.gateway], top: ["unmatched: forward"])
        try withScene(layout) { scene in
            let client = try scene.client()
            defer { client.close() }
            for port in scene.proxy.ports {
                let response = try client.get("http://\(host):\(port)/")
                try expectOwnAnswer(response, 508, mentions: ["loop-detected", "listener of this attache"])
            }
            #expect(scene.backend.connectionCount == 0)
            #expect(scene.proxy.log.text.contains("warning request failed"))
        }
    }

    @Test("is answered with 508 if its target is the admin listener")
    func admin() throws {
        let layout = Layout(top: ["unmatched: forward", "allowAddresses: [127.0.0.0/8]"])
        try withScene(layout) { scene in
            let client = try scene.client()
            defer { client.close() }
            let response = try client.get("http://127.0.0.1:\(scene.proxy.adminPort)/metrics")
            try expectOwnAnswer(response, 508, mentions: ["loop-detected", "listener of this attache"])
        }
    }

    @Test("is answered with 508 if it is a CONNECT to a listener")
    func connect() throws {
        let own = Self.address
        let layout = Layout(
            listeners: ["{ address: 127.0.0.1:0 }", "{ address: \"\(own.host):\(own.port)\" }"],
            top: ["connect: { allow: [\"*:\(own.port)\"] }"])
        try withScene(layout) { scene in
            for host in [own.host, "[::ffff:\(own.host)]"] {
                let client = try scene.client()
                defer { client.close() }
                let response = try client.exchange("CONNECT \(host):\(own.port) HTTP/1.1\r\nHost: x\r\n\r\n")
                try expectOwnAnswer(response, 508, mentions: ["loop-detected"])
            }
        }
    }

    @Test(
        "is answered with 508 if a route's upstream is a listener, for a gateway as for a proxy",
        arguments: [true, false])
    func upstream(_ isGateway: Bool) throws {
        let own = Self.address
        let layout = Layout(
            listeners: [
                isGateway ? Self.gateway : "{ address: 127.0.0.1:0 }", "{ address: \"\(own.host):\(own.port)\" }",
            ], match: "{ host: api.test }", upstream: "http://\(own.host):\(own.port)")
        try withScene(layout) { scene in
            let client = try scene.client()
            defer { client.close() }
            let response =
                isGateway
                ? try client.exchange("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n") : try client.get("http://api.test/")
            try expectOwnAnswer(response, 508, mentions: ["loop-detected", "listener of this attache"])
        }
    }

    @Test("is answered with 508 if the token server of its credential is a listener")
    func tokenServer() throws {
        let own = Self.address
        let layout = Layout(
            listeners: ["{ address: 127.0.0.1:0 }", "{ address: \"\(own.host):\(own.port)\" }"],
            tokenURL: "http://\(own.host):\(own.port)/token")
        try withScene(layout) { scene in
            let response = try scene.get()
            try expectOwnAnswer(response, 508, mentions: ["credential main", "listener of this attache"])
            #expect(try scene.proxy.admin("/readyz").text.contains("token-server-leads-back"))
            #expect(scene.backend.connectionCount == 0)
        }
    }

    @Test("is answered with 508 if it carries the Via of this process, whatever its form and listener")
    func via() throws {
        let layout = Layout(
            listeners: ["{ address: 127.0.0.1:0 }", Self.gateway], match: "{ host: api.test }",
            top: ["connect: { allow: [\"*:443\"] }"])
        try withScene(layout) { scene in
            let client = try scene.client()
            defer { client.close() }
            #expect(try client.get("http://api.test/").status == 200)
            let via = try #require(scene.backend.requests.first?.fields["Via"])
            let name = try #require(via.split(separator: " ").last)
            for start in ["GET http://api.test/", "GET /", "GET http://unknown.test/", "CONNECT other.test:443"] {
                let request = "\(start) HTTP/1.1\r\nHost: api.test\r\nVia: 1.1 squid, \(via)\r\n\r\n"
                let client = try scene.client()
                defer { client.close() }
                try expectOwnAnswer(try client.exchange(request), 508, mentions: ["loop-detected", "\(name)"])
            }
            let gateway = try RawClient(port: scene.proxy.ports[1])
            defer { gateway.close() }
            let back = try gateway.exchange("GET / HTTP/1.1\r\nHost: localhost\r\nVia: \(via)\r\n\r\n")
            try expectOwnAnswer(back, 508, mentions: ["loop-detected"])
            #expect(try gateway.exchange("GET / HTTP/1.1\r\nHost: localhost\r\nVia: 1.1 attache\r\n\r\n").status == 200)
            #expect(scene.backend.requests.count == 2)
        }
    }

    @Test("is not one that comes from another Attaché")
    func chain() throws {
        var inner = Layout(listeners: [Self.gateway])
        inner.match = ""
        try withScene(inner) { scene in
            let outer = Layout(upstream: "http://127.0.0.1:\(scene.proxy.port)")
            try withScene(outer) { front in
                let response = try front.get("/chained")
                #expect(response.status == 200 && response.text == "/chained")
                #expect(scene.backend.requests.first?.fields.all("Via").count == 2)
            }
        }
    }
}
