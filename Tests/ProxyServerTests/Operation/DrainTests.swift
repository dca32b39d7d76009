import Glibc
import Support
import Testing

@Suite("Draining")
struct DrainTests {
    @Test("Running exchanges finish, then the proxy ends")
    func finishes() throws {
        let gate = Gate()
        let script: ScriptedServer.Script = { connection in
            while let request = try connection.request() {
                try gate.wait()
                try connection.send(Scripts.response(request.target))
            }
        }
        try withScene(Layout(gracePeriod: "30s"), backend: script) { scene in
            let clients = try (0..<5).map { _ in try scene.client() }
            for (number, client) in clients.enumerated() {
                try client.send("GET \(scene.url)/\(number) HTTP/1.1\r\nHost: x\r\n\r\n")
            }
            try scene.backend.wait("all requests") { $0.requests.count == 5 }
            scene.proxy.drain()
            try Self.waitUntilRefused(scene)
            gate.open()
            for (number, client) in clients.enumerated() {
                let response = try client.response()
                #expect(response.text == "/\(number)")
                #expect(try client.endsNow())
                client.close()
            }
            try scene.proxy.waitForEnd()
        }
    }

    @Test("A request whose body is still being sent finishes")
    func bodyOnItsWay() throws {
        let script: ScriptedServer.Script = { connection in
            guard let request = try connection.head() else { return }
            let body = try connection.body(of: request)
            try connection.send(Scripts.response(String(decoding: body, as: UTF8.self)))
        }
        try withScene(Layout(gracePeriod: "30s"), backend: script) { scene in
            let client = try scene.client()
            defer { client.close() }
            try client.send("POST \(scene.url)/ HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\nhello")
            try scene.backend.wait("the head came") { !$0.heads.isEmpty }
            scene.proxy.drain()
            try Self.waitUntilRefused(scene)
            try client.send("world")
            #expect(try client.response().text == "helloworld")
            try scene.proxy.waitForEnd()
        }
    }

    @Test("Responses that an app has yet to read are sent completely before the proxy ends")
    func unreadAnswers() throws {
        try withScene(Layout(gracePeriod: "30s")) { scene in
            let client = try scene.client(receiveBuffer: 4096)
            defer { client.close() }
            let request = "GET http://denied.example/ HTTP/1.1\r\nHost: x\r\n\r\n"
            try client.send(String(repeating: request, count: 12_000))
            try Self.waitUntilStill(scene)
            scene.proxy.drain()
            var read = 0
            while let response = try Self.next(client) {
                #expect(response.status == 403)
                read += 1
            }
            try scene.proxy.waitForEnd()
            #expect(read < 12_000)
            #expect(try scene.accessLog(read).count == read)
        }
    }

    @Test("Idle connections are closed after the time that a request on its way may take")
    func idle() throws {
        try withScene(Layout(gracePeriod: "30s")) { scene in
            let used = try scene.client()
            defer { used.close() }
            #expect(try used.get("\(scene.url)/").status == 200)
            let fresh = try scene.client()
            defer { fresh.close() }
            scene.proxy.drain()
            #expect(try used.endsNow())
            #expect(try fresh.endsNow())
            try scene.proxy.waitForEnd()
        }
    }

    @Test("A request that was on its way when the drain began is served, and its response says Connection: close")
    func onItsWay() throws {
        // On a slow machine the request may come after the time that the drain gives it.
        try Patience.poll("the request is served") { try Self.isServedLate() ? () : nil }
    }

    /// Whether the second half of a request that is sent after the beginning of a drain gets a response.
    private static func isServedLate() throws -> Bool {
        try withScene(Layout(gracePeriod: "30s")) { scene in
            let client = try scene.client()
            defer { client.close() }
            try client.send("GET \(scene.url)/last HTTP/1.1\r\n")
            scene.proxy.drain()
            try Self.waitUntilRefused(scene)
            guard (try? client.send("Host: x\r\n\r\n")) != nil, let response = try? client.response(),
                response.status == 200
            else { return false }
            #expect(response.text == "/last")
            #expect(response.fields["Connection"] == "close")
            #expect(try client.endsNow())
            try scene.proxy.waitForEnd()
            return true
        }
    }

    @Test("An exchange that does not end is cut after gracePeriod", arguments: ["silent", "inside the body"])
    func gracePeriod(_ how: String) throws {
        let script: ScriptedServer.Script = { connection in
            _ = try connection.request()
            if how != "silent" { try connection.send("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhello") }
            connection.receiveUntilEnd()
        }
        let limits = ["responseTimeout: 24h", "streamIdleTimeout: 24h"]
        try withScene(Layout(limits: limits, gracePeriod: "10m"), backend: script) { scene in
            let client = try scene.client()
            defer { client.close() }
            try client.send("GET \(scene.url)/ HTTP/1.1\r\nHost: x\r\n\r\n")
            try scene.backend.wait("a request") { !$0.requests.isEmpty }
            let head = how == "silent" ? nil : try client.responseHead()
            scene.proxy.drain()
            try scene.proxy.pass(.seconds(660))
            try scene.proxy.waitForEnd()
            let body = try? head.map { try client.body(of: $0) } ?? client.response().body
            #expect(body == nil, "a whole response came")
            let entry = try JSON(try #require(try scene.accessLog(1).first))
            #expect(entry["source"] == .string("internal"))
            let error = try #require(entry["error"]?.string)
            #expect(error.contains("shutdown.gracePeriod, 600 s, is over"))
            #expect(entry["status"] == .number(how == "silent" ? 0 : 200))
        }
    }

    @Test("A signal during gracePeriod cuts running requests, and each signal is logged with what it does")
    func signals() throws {
        let layout = Layout(limits: ["responseTimeout: 24h"], drainDelay: "90s", gracePeriod: "10m")
        try withScene(layout, backend: Scripts.silent) { scene in
            let client = try scene.client()
            defer { client.close() }
            try client.send("GET \(scene.url)/ HTTP/1.1\r\nHost: x\r\n\r\n")
            try scene.backend.wait("a request") { !$0.requests.isEmpty }
            for message in ["draining after a delay", "draining [", "running requests are cut"] {
                scene.proxy.drain()
                try scene.proxy.log.wait(for: message)
            }
            try scene.proxy.waitForEnd()
            let log = scene.proxy.log.text
            #expect(log.contains(#""drainDelay": 90 s"#) && log.contains(#""trigger": call"#), "\(log)")
            let entry = try JSON(try #require(try scene.accessLog(1).first))
            let error = try #require(entry["error"]?.string)
            #expect(error.contains("another signal arrived during shutdown.gracePeriod"))
        }
    }

    @Test("The requests that are cut at the end are counted, over all workers", arguments: [1, 3])
    func cutCount(workers: Int) throws {
        let limits = ["responseTimeout: 24h"]
        let layout = Layout(limits: limits, top: ["workers: \(workers)"], gracePeriod: "10m")
        try withScene(layout, backend: Scripts.silent) { scene in
            let clients = try (0..<5).map { _ in try scene.client() }
            defer { for client in clients { client.close() } }
            for client in clients { try client.send("GET \(scene.url)/ HTTP/1.1\r\nHost: x\r\n\r\n") }
            // Half a head is no request that is cut.
            let slow = try scene.client()
            defer { slow.close() }
            try slow.send("GET \(scene.url)/ HTTP/1.1\r\nHo")
            try scene.backend.wait("all requests") { $0.requests.count == 5 }
            scene.proxy.drain()
            try scene.proxy.pass(.seconds(660))
            try scene.proxy.waitForEnd()
            #expect(scene.proxy.log.text.contains("warning requests cut [\"count\": 5]"), "\(scene.proxy.log.text)")
            let entries = try scene.accessLog(5).map { try JSON($0) }
            #expect(entries.count { $0["error"]?.string?.contains("gracePeriod") == true } == 5)
        }
    }

    @Test("A drain in which every request finishes reports no cut request")
    func nothingCut() throws {
        try withScene { scene in
            #expect(try scene.get().status == 200)
            scene.proxy.drain()
            try scene.proxy.waitForEnd()
            #expect(!scene.proxy.log.text.contains("requests cut"))
        }
    }

    @Test("During drainDelay new connections are served, but the proxy is not ready")
    func drainDelay() throws {
        try withScene(Layout(drainDelay: "10m", gracePeriod: "30s")) { scene in
            try scene.tokens.waitForTokens(1)
            scene.proxy.drain()
            let ready = try Patience.poll("it is not ready") { () -> Bool? in
                try scene.proxy.admin("/readyz").status == 503 ? true : nil
            }
            #expect(ready)
            let response = try scene.get("/during")
            #expect(response.text == "/during")
            try scene.proxy.pass(.seconds(660))
            try scene.proxy.waitForEnd()
        }
    }

    @Test(
        "During drainDelay responses say Connection: close, unless the end waits for clients to leave",
        arguments: [1, 2])
    func announcement(workers: Int) throws {
        for waitForIdle in ["0s", "5m"] {
            let layout = Layout(
                top: ["workers: \(workers)"], drainDelay: "10m", waitForIdle: waitForIdle, gracePeriod: "30s")
            try withScene(layout) { scene in
                let clients = try (0..<8).map { _ in try scene.client() }
                defer { for client in clients { client.close() } }
                for client in clients { #expect(try client.get("\(scene.url)/").fields["Connection"] == nil) }
                scene.proxy.drain()
                try Patience.poll("it is not ready") { try scene.proxy.admin("/readyz").status == 503 ? () : nil }
                for client in clients {
                    let response = try client.get("\(scene.url)/")
                    #expect(response.status == 200)
                    #expect(response.fields["Connection"] == (waitForIdle == "0s" ? "close" : nil))
                    if waitForIdle == "0s" { #expect(try client.endsNow()) }
                }
                let text = try scene.proxy.admin("/findings").text
                #expect(text.contains("waitForIdle") == (waitForIdle != "0s"))
            }
        }
    }

    @Test("With waitForIdle, the listeners close once no client has been connected for that time", arguments: [1, 3])
    func waitForIdle(workers: Int) throws {
        let layout = Layout(
            limits: ["idleTimeout: 2h"], top: ["workers: \(workers)"], drainDelay: "1h", waitForIdle: "250ms",
            gracePeriod: "30s")
        try withScene(layout) { scene in
            let client = try scene.client()
            #expect(try client.get("\(scene.url)/").status == 200)
            scene.proxy.drain()
            try scene.proxy.pass(.seconds(600))
            #expect(try scene.get("/during").text == "/during")
            #expect(try client.get("\(scene.url)/again").text == "/again")
            client.close()
            try scene.proxy.waitForEnd()
        }
    }

    @Test("A worker that starts during drainDelay does not end it")
    func drainDelayAtStart() throws {
        try withScene { scene in
            let layout = Layout(top: ["workers: 3"], drainDelay: "10m", gracePeriod: "30s")
            let yaml = layout.yaml(
                backendPort: scene.backend.port, tokenURL: scene.tokens.url, directory: scene.directory.path)
            let proxy = try ProxyUnderTest(yaml: yaml)
            proxy.drain()
            // The kernel spreads connections over the workers, so every worker serves some of them once it has started.
            for _ in 0..<24 {
                let client = try proxy.client()
                defer { client.close() }
                #expect(try client.get("\(scene.url)/").status == 200)
            }
            try proxy.pass(.seconds(660))
            try proxy.waitForEnd()
        }
    }

    @Test("A second drain changes nothing, and a proxy that has served nothing ends too")
    func twice() throws {
        try withScene { scene in
            scene.proxy.drain()
            scene.proxy.drain()
            try scene.proxy.waitForEnd()
            scene.proxy.drain()
        }
    }

    @Test("A waiting request is answered during a drain when its token arrives")
    func waitingForAToken() throws {
        let gate = Gate()
        // The token is fetched for the request alone, so the fetch shows that the request waits.
        let layout = Layout(credential: ["scope: '{header:X-Scope}'"], gracePeriod: "30s")
        try withScene(layout, tokens: [.held(gate, .token(expiresIn: "3600"))]) { scene in
            let client = try scene.client()
            defer { client.close() }
            try client.send("GET \(scene.url)/ HTTP/1.1\r\nHost: x\r\nX-Scope: read\r\n\r\n")
            try scene.tokens.waitForRequests(1)
            scene.proxy.drain()
            try Self.waitUntilRefused(scene)
            gate.open()
            #expect(try client.response().status == 200)
            try scene.proxy.waitForEnd()
        }
    }

    /// Waits until no more exchanges end.
    ///
    /// To answer for its metrics the proxy needs turns of its loop, in which it would serve requests that it can.
    private static func waitUntilStill(_ scene: Scene) throws {
        var last = ""
        try Patience.poll("the proxy waits for its app") { () -> Void? in
            let lines = try scene.proxy.admin("/metrics").text.split(separator: "\n")
            let served = lines.filter { $0.contains("attache_requests_total{") }.joined(separator: "\n")
            defer { last = served }
            return served.contains("403") && served == last ? () : nil
        }
    }

    /// The next response; nil at the orderly end of the connection.
    private static func next(_ client: RawClient) throws -> ReceivedResponse? {
        do {
            return try client.response()
        } catch let cut as MessageReader.CutShort where cut.partial.isEmpty {
            return nil
        }
    }

    private static func waitUntilRefused(_ scene: Scene) throws {
        try Patience.poll("new connections are refused") { () -> Void? in
            do {
                try scene.client().close()
                return nil
            } catch SocketError.refused {
                return ()
            } catch SocketError.reset {
                // It was in the queue of the listener that closed.
                return nil
            }
        }
    }
}
