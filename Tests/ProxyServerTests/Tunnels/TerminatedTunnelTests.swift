import Support
import Testing

@Suite("Requests inside a terminated tunnel")
struct TerminatedTunnelTests {
    private static let layout = Layout(route: ["connect: terminate"], match: "{ host: api.test }")

    /// A client inside the tunnel to a place.
    private static func tunnel(_ scene: Scene, to place: String = "api.test:80", behind: String = "") throws
        -> RawClient
    {
        let client = try scene.client()
        try client.send("CONNECT \(place) HTTP/1.1\r\nHost: \(place)\r\n\r\n\(behind)")
        #expect(try client.response(to: "CONNECT").status == 200)
        return client
    }

    @Test("are served as if they had come in absolute-form, with the credential, one after the other")
    func served() throws {
        try withScene(Self.layout, backend: Scripts.echo) { scene in
            let client = try Self.tunnel(scene, behind: "GET /first HTTP/1.1\r\nHost: api.test\r\n\r\n")
            defer { client.close() }
            #expect(try client.response().status == 200)
            let body = "POST /second?q=1 HTTP/1.1\r\nHost: API.test.:80\r\nContent-Length: 5\r\n\r\nhello"
            #expect(try client.exchange(body).text == "hello")
            #expect(
                try client.exchange("OPTIONS * HTTP/1.1\r\nHost: api.test\r\n\r\n", method: "OPTIONS").status == 200)
            #expect(scene.backend.requests.map(\.target) == ["/first", "/second?q=1", "*"])
            #expect(scene.backend.requests.allSatisfy { $0.fields.all("Authorization").count == 1 })
            #expect(scene.backend.requests.allSatisfy { $0.fields.all("Host") == [scene.backend.authority] })
            let log = try scene.accessLog(4)
            #expect(
                log[0].contains(#""route":"main","method":"CONNECT","target":"api.test:80","status":200"#), "\(log)")
            #expect(log[1].contains(#""method":"GET","target":"http://api.test/first","status":200"#), "\(log)")
        }
    }

    @Test("need not come: an app that has ended its side behind its CONNECT gets the answer and the end")
    func ended() throws {
        try withScene(Self.layout) { scene in
            let client = try scene.client()
            defer { client.close() }
            try client.send("CONNECT api.test:80 HTTP/1.1\r\nHost: api.test:80\r\n\r\n")
            client.endWriting()
            #expect(try client.response(to: "CONNECT").status == 200)
            #expect(try client.endsNow())
        }
    }

    @Test("mean the port of the tunnel", arguments: [443, 8080])
    func ports(_ port: Int) throws {
        let layout = Layout(route: ["connect: terminate"], match: "{ host: api.test, port: \(port) }")
        try withScene(layout) { scene in
            let client = try Self.tunnel(scene, to: "api.test:\(port)")
            defer { client.close() }
            #expect(try client.exchange("GET /a HTTP/1.1\r\nHost: api.test:\(port)\r\n\r\n").text == "/a")
            #expect(try client.exchange("GET /b HTTP/1.1\r\nHost: api.test\r\n\r\n").text == "/b")
        }
    }

    @Test(
        "are refused if their Host is another",
        arguments: ["other.test", "api.test:81", "xapi.test", "127.0.0.1"])
    func otherHost(_ host: String) throws {
        try withScene(Self.layout) { scene in
            let client = try Self.tunnel(scene)
            defer { client.close() }
            let response = try client.exchange("GET /a HTTP/1.1\r\nHost: \(host)\r\n\r\n")
            try expectOwnAnswer(response, 400, mentions: ["tunnel-host-mismatch", "api.test"])
            #expect(scene.backend.requests.isEmpty)
            // It is no framing error, so the tunnel goes on.
            #expect(try client.exchange("GET /b HTTP/1.1\r\nHost: api.test\r\n\r\n").text == "/b")
        }
    }

    @Test("need no Host in HTTP/1.0")
    func oldVersion() throws {
        try withScene(Self.layout) { scene in
            let client = try Self.tunnel(scene)
            defer { client.close() }
            #expect(try client.exchange("GET /a HTTP/1.0\r\n\r\n").text == "/a")
            #expect(try client.endsNow())
        }
    }

    @Test("are routed one by one: a route that does not take one of them refuses it")
    func routed() throws {
        let layout = Layout(route: ["connect: terminate"], match: "{ host: api.test, pathPrefix: /db/ }")
        try withScene(layout) { scene in
            let client = try Self.tunnel(scene)
            defer { client.close() }
            try expectOwnAnswer(client.exchange("GET /a HTTP/1.1\r\nHost: api.test\r\n\r\n"), 403)
            #expect(try client.exchange("GET /db/a HTTP/1.1\r\nHost: api.test\r\n\r\n").text == "/db/a")
        }
    }

    @Test("may not be TLS: the client gets an alert, and the log says what to change")
    func tls() throws {
        try withScene(Self.layout) { scene in
            let client = try Self.tunnel(scene, to: "api.test:443")
            defer { client.close() }
            try client.send([22, 3, 1, 0, 5, 1, 0, 0, 1, 3])
            #expect(try client.receiveUntilEnd() == [21, 3, 1, 0, 2, 2, 49])
            let line = try #require(try scene.accessLog(2).last)
            #expect(line.contains(#""code":"tls-in-tunnel""#) && line.contains("connect: tunnel"), "\(line)")
            #expect(line.contains(#""route":"main""#), "\(line)")
        }
    }

    @Test("are served if connect.routes says so for all routes with a credential")
    func forAllRoutes() throws {
        let layout = Layout(match: "{ host: api.test }", top: ["connect: { routes: terminate }"])
        try withScene(layout) { scene in
            let client = try Self.tunnel(scene)
            defer { client.close() }
            #expect(try client.exchange("GET /a HTTP/1.1\r\nHost: api.test\r\n\r\n").text == "/a")
        }
    }
}
