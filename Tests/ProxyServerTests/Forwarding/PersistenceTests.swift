import Support
import Testing

@Suite("Connections are kept and used again")
struct PersistenceTests {
    @Test("Many requests of one client use one connection on each side")
    func reuse() throws {
        try withScene { scene in
            let client = try scene.client()
            defer { client.close() }
            for number in 0..<20 {
                let response = try client.get("\(scene.url)/\(number)")
                #expect(response.text == "/\(number)")
            }
            #expect(scene.backend.connectionCount == 1)
        }
    }

    @Test("An upstream connection outlives the client that opened it")
    func reuseAcrossClients() throws {
        try withScene { scene in
            for _ in 0..<5 {
                let response = try scene.get()
                #expect(response.status == 200)
            }
            #expect(scene.backend.connectionCount == 1)
        }
    }

    @Test("One client connection carries requests for two hosts in turn")
    func twoHosts() throws {
        let other = try ScriptedServer { try Scripts.always(Scripts.response("other"))($0) }
        defer { other.stop() }
        let layout = Layout(routesBefore: [
            "{ name: other, match: { host: 127.0.0.1, port: \(other.port) }, upstream: \"\(other.url)\", credential: none }"
        ])
        try withScene(layout) { scene in
            let client = try scene.client()
            defer { client.close() }
            for _ in 0..<4 {
                #expect(try client.get("\(scene.url)/mine").text == "/mine")
                #expect(try client.get("\(other.url)/").text == "other")
            }
            #expect(scene.backend.connectionCount == 1)
            #expect(other.connectionCount == 1)
        }
    }

    @Test("Pipelined requests are answered in order")
    func pipelined() throws {
        try withScene { scene in
            let client = try scene.client()
            defer { client.close() }
            let paths = (0..<30).map { "/\($0)" }
            try client.send(paths.map { "GET \(scene.url)\($0) HTTP/1.1\r\nHost: x\r\n\r\n" }.joined())
            for path in paths {
                let response = try client.response()
                #expect(response.text == path)
            }
            #expect(scene.backend.requests.map(\.target) == paths)
        }
    }

    @Test("A response that is cut takes nothing from the complete one before it")
    func pipelinedCut() throws {
        let whole = String(repeating: "w", count: 6_000)
        let script: ScriptedServer.Script = { connection in
            guard try connection.request() != nil else { return }
            try connection.send(Scripts.response(whole))
            guard try connection.request() != nil else { return }
            try connection.send("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf")
        }
        try withScene(backend: script) { scene in
            // Some of the first response waits in the proxy's kernel, behind it more requests than the proxy reads ahead.
            let client = try scene.client(receiveBuffer: 4096)
            defer { client.close() }
            let get = "GET \(scene.url)/ HTTP/1.1\r\nHost: x\r\n\r\n"
            let socket = client.socket
            let sender = BackgroundThread("sender") {
                try? socket.send(Array((get + get + String(repeating: get, count: 40_000)).utf8))
            }
            _ = try scene.accessLog(2)
            #expect(try client.response().text == whole)
            client.reset()
            try sender.join()
        }
    }

    @Test("Pipelined requests with bodies keep their boundaries")
    func pipelinedBodies() throws {
        try withScene(backend: Scripts.echo) { scene in
            let client = try scene.client()
            defer { client.close() }
            let head = "POST \(scene.url)/ HTTP/1.1\r\nHost: x\r\n"
            try client.send(
                "\(head)Content-Length: 3\r\n\r\none\(head)Transfer-Encoding: chunked\r\n\r\n3\r\ntwo\r\n0\r\n\r\n"
                    + "\(head)Content-Length: 0\r\n\r\n\(head)Content-Length: 5\r\n\r\nthree")
            for body in ["one", "two", "", "three"] {
                let response = try client.response()
                #expect(response.text == body)
            }
        }
    }

    @Test("A refused request in the middle of a pipeline does not affect its neighbours")
    func pipelinedRefusal() throws {
        try withScene { scene in
            let client = try scene.client()
            defer { client.close() }
            try client.send(
                "GET \(scene.url)/1 HTTP/1.1\r\nHost: x\r\n\r\nGET http://denied.example/ HTTP/1.1\r\nHost: x\r\n\r\n"
                    + "GET \(scene.url)/3 HTTP/1.1\r\nHost: x\r\n\r\n")
            #expect(try client.response().text == "/1")
            try expectOwnAnswer(client.response(), 403)
            #expect(try client.response().text == "/3")
        }
    }

    @Test("A connection whose app said close is closed with its response, not kept for the app's end")
    func closedAtOnce() throws {
        try withScene { scene in
            let client = try scene.client()
            defer { client.close() }
            #expect(try client.get("\(scene.url)/", fields: "Connection: close\r\n").status == 200)
            #expect(try client.endsNow())
            // A socket that was closed answers with a reset; one that still drains takes bytes.
            try client.send("x")
            #expect(throws: SocketError.self) { try client.send("y") }
        }
    }

    @Test("A request after Connection: close is never forwarded")
    func nothingAfterClose() throws {
        try withScene { scene in
            let client = try scene.client()
            defer { client.close() }
            let second = "GET \(scene.url)/second HTTP/1.1\r\nHost: x\r\n\r\n"
            try client.send("GET \(scene.url)/first HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n\(second)")
            let response = try client.response()
            #expect(response.text == "/first")
            #expect(response.fields.all("Connection") == ["close"])
            #expect(try client.endsNow())
            #expect(scene.backend.requests.map(\.target) == ["/first"])
        }
    }

    @Test("A backend that says close sees the connection end in order, without a reset")
    func upstreamEndsInOrder() throws {
        let script: ScriptedServer.Script = { connection in
            _ = try connection.request()
            try connection.send("HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 2\r\n\r\nok")
            _ = try connection.request()
        }
        try withScene(backend: script) { scene in
            #expect(try scene.get().text == "ok")
            try scene.backend.waitUntilAllClosed()
            #expect(scene.backend.failures.isEmpty)
        }
    }

    @Test("A client that ends its sending side still gets its response")
    func halfClosed() throws {
        let gate = Gate()
        let script: ScriptedServer.Script = { connection in
            _ = try connection.request()
            try gate.wait()
            try connection.send(Scripts.response("late"))
            connection.receiveUntilEnd()
        }
        try withScene(backend: script) { scene in
            let client = try scene.client()
            defer { client.close() }
            try client.send("GET \(scene.url)/ HTTP/1.1\r\nHost: x\r\n\r\n")
            try scene.backend.wait("a request") { !$0.requests.isEmpty }
            client.endWriting()
            gate.open()
            let response = try client.response()
            #expect(response.text == "late")
            #expect(try client.endsNow())
        }
    }

    @Test(
        "A client that sends three requests and ends its sending side at once gets three responses", arguments: [1, 3])
    func pipelinedAndEnded(pieces: Int) throws {
        let ended = Monitor(0)
        let script: ScriptedServer.Script = { connection in
            while let request = try connection.request() {
                let attempt = Int(request.target.split(separator: "/").first ?? "") ?? 0
                try ended.wait("the client has ended") { $0 >= attempt ? () : nil }
                try connection.send(Scripts.response(request.target))
            }
        }
        try withScene(backend: script) { scene in
            for attempt in 1...200 {
                let client = try scene.client()
                defer { client.close() }
                let requests = (0..<3).map { "GET \(scene.url)/\(attempt)/\($0) HTTP/1.1\r\nHost: x\r\n\r\n" }
                for piece in pieces == 1 ? [requests.joined()] : requests { try client.send(piece) }
                client.endWriting()
                ended.access { $0 = attempt }
                for number in 0..<3 {
                    let response = try client.response()
                    #expect(response.text == "/\(attempt)/\(number)")
                    #expect(response.fields["Connection"] == (number == 2 ? "close" : nil), "\(response)")
                }
                #expect(try client.endsNow())
            }
        }
    }

    @Test("Attaché's own responses are not the last ones while earlier requests of the ended client are left")
    func refusedAndEnded() throws {
        let ended = Gate()
        let script: ScriptedServer.Script = { connection in
            _ = try connection.request()
            try ended.wait()
            try connection.send(Scripts.response("first"))
            connection.receiveUntilEnd()
        }
        try withScene(backend: script) { scene in
            let client = try scene.client()
            defer { client.close() }
            let requests = [scene.url, "http://elsewhere.example", "http://elsewhere.example"].map { url in
                "GET \(url)/ HTTP/1.1\r\nHost: x\r\n\r\n"
            }
            try client.send(requests.joined())
            client.endWriting()
            try scene.backend.wait("a request") { !$0.requests.isEmpty }
            ended.open()
            #expect(try client.response().text == "first")
            for isLast in [false, true] {
                let response = try client.response()
                #expect(response.status == 403)
                #expect(response.fields["Connection"] == (isLast ? "close" : nil))
            }
            #expect(try client.endsNow())
        }
    }

    @Test("Idle client connections are closed after idleTimeout without a response")
    func idleClosed() throws {
        try withScene(Layout(limits: ["idleTimeout: 10m"])) { scene in
            let client = try scene.client()
            defer { client.close() }
            #expect(try client.get("\(scene.url)/").status == 200)
            try scene.pass(.seconds(550), after: client)
            #expect(try client.get("\(scene.url)/").status == 200)
            try scene.pass(.seconds(660), after: client)
            #expect(try client.endsNow())
        }
    }

    @Test("A backend that answers with Keep-Alive: timeout=0 or closes idle connections does no harm")
    func backendClosesIdle() throws {
        let script: ScriptedServer.Script = { connection in
            _ = try connection.request()
            try connection.send(Scripts.response("ok"))
        }
        try withScene(backend: script) { scene in
            let client = try scene.client()
            defer { client.close() }
            for number in 0..<10 {
                let response = try client.get("\(scene.url)/\(number)")
                #expect(response.status == 200)
                try scene.backend.wait("the backend closed") { $0.closed == number + 1 }
            }
            #expect(scene.backend.requests.count == 10)
        }
    }
}
