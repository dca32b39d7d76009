import Support
import Testing

@Suite("Limits")
struct LimitTests {
    @Test(
        "A head over a limit is refused with its status, and the connection is closed",
        arguments: [
            (0, 5000, 0, 431), (0, 0, 101, 431), (5000, 0, 0, 414),
        ])
    func refused(_ targetSize: Int, _ valueSize: Int, _ count: Int, _ status: Int) throws {
        let path = String(repeating: "x", count: targetSize)
        let fields =
            "X-Large: \(String(repeating: "x", count: valueSize))\r\n" + String(repeating: "X: y\r\n", count: count)
        try withScene(Layout(limits: ["headBytes: 4KiB", "fieldCount: 10"])) { scene in
            let client = try scene.client()
            defer { client.close() }
            try expectOwnAnswer(client.get("\(scene.url)/\(path)", fields: fields), status)
            #expect(try client.endsNow())
            #expect(scene.backend.heads.isEmpty)
        }
    }

    @Test("A head that never ends is answered with 431 as soon as it is too large")
    func endlessHead() throws {
        try withScene(Layout(limits: ["headBytes: 4KiB"])) { scene in
            let client = try scene.client()
            defer { client.close() }
            try client.send("GET \(scene.url)/ HTTP/1.1\r\nHost: x\r\n")
            for number in 0..<100 { try? client.send("X-\(number): " + String(repeating: "x", count: 90) + "\r\n") }
            let response = try client.response()
            try expectOwnAnswer(response, 431)
        }
    }

    @Test("A head of 60 KiB in a hundred fields works with the default settings")
    func largeHead() throws {
        try withScene { scene in
            let fields = (0..<90).map { "X-\($0): " + String(repeating: "v", count: 650) + "\r\n" }.joined()
            let response = try scene.get(fields: fields)
            #expect(response.status == 200)
            #expect(scene.backend.requests.first?.fields["X-89"]?.count == 650)
        }
    }

    @Test("A half-sent head is answered with 408 after headTimeout")
    func halfHead() throws {
        try withScene(Layout(limits: ["headTimeout: 100ms"])) { scene in
            let client = try scene.client()
            defer { client.close() }
            try client.send("GET \(scene.url)/ HTTP/1.1\r\nHost: x\r\n")
            try expectOwnAnswer(client.response(), 408)
            #expect(try client.endsNow())
        }
    }

    @Test(
        "headTimeout is for the whole head, even a large one: single bytes do not extend it",
        arguments: [0, 70_000])
    func drippingHead(before count: Int) throws {
        try withScene(Layout(limits: ["headTimeout: 10m", "headBytes: 1MiB"])) { scene in
            let client = try scene.client()
            defer { client.close() }
            try client.send("GET \(scene.url)/ HTTP/1.1\r\nHost: x\r\nX: " + String(repeating: "x", count: count))
            for _ in 0..<5 {
                try scene.pass(.seconds(110), after: client)
                #expect(!client.socket.canReceive(within: .zero))
                try client.send("x")
            }
            try scene.pass(.seconds(110), after: client)
            try expectOwnAnswer(client.response(), 408)
        }
    }

    @Test("A connection that never sends a byte is closed without a response")
    func neverABytes() throws {
        try withScene(Layout(limits: ["headTimeout: 100ms", "idleTimeout: 150ms"])) { scene in
            let client = try scene.client()
            defer { client.close() }
            #expect(try client.endsNow())
        }
    }

    @Test("A second request on a kept connection has its own headTimeout")
    func halfSecondHead() throws {
        try withScene(Layout(limits: ["headTimeout: 100ms"])) { scene in
            let client = try scene.client()
            defer { client.close() }
            #expect(try client.get("\(scene.url)/").status == 200)
            try client.send("GET \(scene.url)/")
            try expectOwnAnswer(client.response(), 408)
        }
    }

    @Test("A body that stops is answered with 408 after bodyTimeout, and the backend sees a cut")
    func slowBody() throws {
        let script: ScriptedServer.Script = { connection in
            _ = try connection.head()
            connection.receiveUntilEnd()
        }
        try withScene(Layout(limits: ["bodyTimeout: 100ms"]), backend: script) { scene in
            let client = try scene.client()
            defer { client.close() }
            try client.send("POST \(scene.url)/ HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\nhello")
            try expectOwnAnswer(client.response(), 408)
            try scene.backend.waitUntilAllClosed()
            #expect(scene.backend.requests.isEmpty)
        }
    }

    @Test("Connections over the limit are answered with 503 and closed; when others leave, new ones are accepted")
    func connections() throws {
        let gate = Gate()
        let script: ScriptedServer.Script = { connection in
            while try connection.request() != nil {
                try gate.wait()
                try connection.send(Scripts.response("ok"))
            }
        }
        try withScene(Layout(limits: ["connections: 2"]), backend: script) { scene in
            let clients = [try scene.client(), try scene.client()]
            for client in clients { try client.send("GET \(scene.url)/ HTTP/1.1\r\nHost: x\r\n\r\n") }
            try scene.backend.wait("both are served") { $0.requests.count == 2 }
            let third = try scene.client()
            defer { third.close() }
            let refused = try third.response()
            try expectOwnAnswer(refused, 503)
            #expect(try third.endsNow())
            gate.open()
            for client in clients {
                #expect(try client.response().status == 200)
                client.close()
            }
            let served = try Patience.poll("there is room again") { () -> Bool? in
                let next = try scene.client()
                defer { next.close() }
                guard (try? next.get("\(scene.url)/"))?.status == 200 else { return nil }
                return true
            }
            #expect(served)
        }
    }

    @Test("The limit of connections holds for all workers together, however the kernel distributes them")
    func connectionsOfWorkers() throws {
        try withExecutable(Layout(limits: ["connections: 8"], top: ["workers: 4"])) { running, backend, _ in
            let clients = try (0..<8).map { _ in try running.client() }
            for client in clients { #expect(try client.get("\(backend.url)/").status == 200) }
            for _ in 0..<4 {
                let surplus = try running.client()
                defer { surplus.close() }
                try expectOwnAnswer(surplus.response(), 503, mentions: ["More than 8 clients"])
            }
            clients[0].close()
            try Patience.poll("there is room again") {
                let next = try running.client()
                defer { next.close() }
                return (try? next.get("\(backend.url)/"))?.status == 200 ? () : nil
            }
            for client in clients.dropFirst() { #expect(try client.get("\(backend.url)/").status == 200) }
            for client in clients { client.close() }
        }
    }

    @Test("The proxy stops reading from an app that sends requests and reads no response, and loses none")
    func readsNoAnswer() throws {
        try withScene { scene in
            let client = try scene.client(receiveBuffer: 4096)
            defer { client.close() }
            let request =
                "GET http://denied.example/ HTTP/1.1\r\nX: \(String(repeating: "x", count: 4000))\r\nHost: x\r\n\r\n"
            let count = 16_000
            let bytes = Array(String(repeating: request, count: count).utf8)
            var sent = 0
            while sent < bytes.count {
                let taken = try client.socket.sendSome(bytes[sent...])
                sent += taken
                // On a busy machine the program may take its time for what it does read.
                if taken == 0, !client.socket.canSend(within: .seconds(5)) { break }
            }
            #expect(sent < bytes.count)
            for _ in 0..<sent / request.utf8.count { #expect(try client.response().status == 403) }
        }
    }
}
