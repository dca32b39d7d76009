import Glibc
import Support
import Testing

@Suite("Unix sockets")
struct UnixSocketTests {
    private static func layout(_ listener: String = "{ address: \"unix:{directory}/proxy.sock\" }") -> Layout {
        var layout = Layout()
        layout.listeners = [listener]
        return layout
    }

    private func exists(_ path: String) -> Bool {
        var status = stat()
        return lstat(path, &status) == 0
    }

    @Test("A proxy on a Unix socket serves requests, logs the user of the client, and removes its file at the end")
    func forward() throws {
        let path = try withScene(Self.layout(), backend: Scripts.echo) { scene in
            let path = scene.directory.file("proxy.sock")
            let client = try RawClient(path: path)
            defer { client.close() }
            #expect(try client.get(scene.url + "/a").status == 200)
            let response = try client.exchange(
                "POST \(scene.url)/b HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\none", method: "POST")
            #expect(response.text == "one")
            try client.send("no request\r\n\r\n")
            #expect(try client.response().status == 400)
            for line in try scene.accessLog(3) { #expect(line.contains(#","client":"uid:\#(getuid())""#), "\(line)") }
            #expect(scene.backend.requests.first?.fields["Authorization"]?.hasPrefix("Bearer ") == true)
            return path
        }
        #expect(!exists(path))
    }

    @Test("A gateway on a Unix socket takes any Host, and refuses a request for a proxy")
    func gateway() throws {
        var layout = Self.layout("{ address: \"unix:{directory}/proxy.sock\", mode: gateway, route: main }")
        layout.match = ""
        try withScene(layout) { scene in
            func ask(_ target: String, _ fields: String) throws -> ReceivedResponse {
                let client = try RawClient(path: scene.directory.file("proxy.sock"))
                defer { client.close() }
                return try client.exchange("GET \(target) HTTP/1.1\r\n\(fields)\r\n")
            }
            for host in ["localhost", "unix", "api.example:81", "127.0.0.1"] {
                #expect(try ask("/x?y", "Host: \(host)\r\nOrigin: http://page.example\r\n").text == "/x?y", "\(host)")
            }
            #expect(try ask("http://localhost/x", "Host: localhost\r\n").text == "/x")
            let refused = try ask("http://api.example/x", "Host: api.example\r\n")
            try expectOwnAnswer(refused, 400, mentions: ["gateway to route main"])
        }
    }

    @Test("A client is served by the entry for its user or group, and refused without one")
    func clients() throws {
        let (user, group) = (getuid(), getgid())
        for (entry, isAllowed) in [("user: \(user)", true), ("group: \(group)", true), ("user: \(user + 1)", false)] {
            try withScene(Self.layout("{ address: \"unix:{directory}/proxy.sock\", allow: [{ \(entry) }] }")) { scene in
                let client = try RawClient(path: scene.directory.file("proxy.sock"))
                defer { client.close() }
                let requests = ["POST \(scene.url)/b", "OPTIONS \(scene.url)/"]
                for line in requests {
                    let head = "\(line) HTTP/1.1\r\nHost: x\r\nMax-Forwards: 0\r\nContent-Length: 0\r\n\r\n"
                    let response = try client.exchange(head)
                    #expect(response.status == (isAllowed ? 200 : 403), "\(entry)")
                }
                #expect(isAllowed || scene.backend.requests.isEmpty)
                for line in try scene.accessLog(2) where !isAllowed {
                    #expect(
                        line.contains(#","client":"uid:\#(user)""#) && line.contains(#""code":"client-denied""#),
                        "\(line)")
                }
            }
        }
    }

    @Test("A gateway admits the users of its entries")
    func gatewayClients() throws {
        for (user, status) in [(getuid(), 200), (getuid() + 1, 403)] {
            var layout = Self.layout(
                "{ address: \"unix:{directory}/proxy.sock\", mode: gateway, route: main, allow: [{ user: \(user) }] }")
            layout.match = ""
            try withScene(layout) { scene in
                let client = try RawClient(path: scene.directory.file("proxy.sock"))
                defer { client.close() }
                #expect(try client.exchange("GET /x HTTP/1.1\r\nHost: localhost\r\n\r\n").status == status)
            }
        }
    }

    @Test("Several workers serve one Unix socket")
    func workers() throws {
        var layout = Self.layout()
        layout.top = ["workers: 3"]
        try withScene(layout) { scene in
            let clients = try (0..<30).map { _ in try RawClient(path: scene.directory.file("proxy.sock")) }
            defer { for client in clients { client.close() } }
            for client in clients { #expect(try client.get(scene.url).status == 200) }
            #expect(scene.backend.requests.count == clients.count)
        }
    }

    @Test("A tunnel and a request inside a terminated one work over a Unix socket")
    func connect() throws {
        var layout = Self.layout()
        layout.route = ["connect: terminate"]
        try withScene(layout) { scene in
            let client = try RawClient(path: scene.directory.file("proxy.sock"))
            defer { client.close() }
            try client.send("CONNECT \(scene.backend.authority) HTTP/1.1\r\nHost: \(scene.backend.authority)\r\n\r\n")
            #expect(try client.responseHead(to: "CONNECT").status == 200)
            let response = try client.exchange("GET /inside HTTP/1.1\r\nHost: \(scene.backend.authority)\r\n\r\n")
            #expect(response.text == "/inside")
            for line in try scene.accessLog(2) { #expect(line.contains(#","client":"uid:"#), "\(line)") }
        }
    }

    @Test("A start that fails later leaves no socket behind, and nobody's socket is taken")
    func failedStart() throws {
        let directory = try TemporaryDirectory()
        defer { directory.remove() }
        let first = directory.file("first.sock")
        let second = directory.file("none/x")
        let yaml = "listeners: [{ address: \"unix:\(first)\" }, { address: \"unix:\(second)\" }]\nunmatched: forward"
        #expect(throws: (any Error).self) { try ProxyUnderTest(yaml: yaml) }
        #expect(!exists(first))
        let running = try ProxyUnderTest(yaml: "listeners: [{ address: \"unix:\(first)\" }]\nunmatched: forward")
        let error = #expect(throws: (any Error).self) { try ProxyUnderTest(yaml: yaml) }
        #expect("\(error.map { "\($0)" } ?? "")".contains("another process listens there"))
        #expect(exists(first))
        running.stop()
        #expect(!exists(first))
    }

    @Test("A drain serves what was sent before it to a Unix socket, and removes the file")
    func drain() throws {
        let gate = Gate("the backend may answer")
        let script: ScriptedServer.Script = { connection in
            _ = try connection.request()
            try gate.wait()
            try connection.send(Scripts.response("late"))
        }
        var layout = Self.layout()
        layout.gracePeriod = "10m"
        try withScene(layout, backend: script) { scene in
            let path = scene.directory.file("proxy.sock")
            let client = try RawClient(path: path)
            defer { client.close() }
            try client.send("GET \(scene.url)/ HTTP/1.1\r\nHost: x\r\n\r\n")
            try Patience.poll("the backend has the request") { scene.backend.heads.isEmpty ? nil : () }
            scene.proxy.drain()
            try Patience.poll("the file is gone") { exists(path) ? nil : () }
            gate.open()
            #expect(try client.response().status == 200)
        }
    }
}
