import Support
import Testing

@Suite("The access log")
struct AccessLogTests {
    @Test("Each exchange is one line of JSON with the documented members")
    func members() throws {
        try withScene(backend: Scripts.echo) { scene in
            let client = try scene.client()
            defer { client.close() }
            _ = try client.exchange(
                "POST \(scene.url)/a/b?canary-query=1 HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nhello")
            let line = try #require(try scene.accessLog(1).first)
            let entry = try JSON(line)
            #expect(entry["route"] == .string("main"))
            #expect(entry["method"] == .string("POST"))
            #expect(entry["status"] == .number(200))
            #expect(entry["target"]?.string?.hasPrefix("\(scene.url)/a/b") == true, "\(line)")
            #expect(entry["upstream"]?.string?.contains(scene.backend.authority) == true, "\(line)")
            #expect(try #require(entry["durationMs"]?.number) >= 0)
            #expect(try #require(entry["bytesReceived"]?.number) >= 5)
            #expect(try #require(entry["bytesSent"]?.number) >= 5)
            #expect(entry["error"] == nil || entry["error"] == .null)
            let time = try #require(entry["time"]?.string)
            #expect(time.wholeMatch(of: /20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z/) != nil, "\(time)")
            #expect(!line.contains("canary-query"))
        }
    }

    @Test("Each exchange has one line, whether a backend or Attaché answered it")
    func onePerExchange() throws {
        try withScene { scene in
            let client = try scene.client()
            defer { client.close() }
            for number in 0..<10 { _ = try client.get("\(scene.url)/\(number)") }
            _ = try client.get("http://denied.example/")
            #expect(try client.exchange("GET http://a.example/x?canary=1 HTTP/2.0\r\n\r\n").status == 505)
            let lines = try scene.accessLog(12)
            #expect(lines.count == 12)
            let entries = try lines.map { try JSON($0) }
            #expect(entries.map { $0["status"]?.number } == Array(repeating: 200, count: 10) + [403, 505])
            #expect(entries.last?["method"] == .string("GET"))
            #expect(entries.last?["target"] == .string("http://a.example/x"))
        }
    }

    @Test("A request that is refused on its route has the route's name in its line, and one without a route has none")
    func refusedOnRoute() throws {
        try withScene { scene in
            let client = try scene.client()
            defer { client.close() }
            _ = try client.get("\(scene.url)/", method: "TRACE")
            _ = try client.get("https://\(scene.backend.authority)/")
            _ = try client.get("http://denied.example/")
            let entries = try scene.accessLog(3).map { try JSON($0) }
            #expect(entries.map { $0["status"]?.number } == [403, 403, 403])
            #expect(entries.map { $0["route"] } == [.string("main"), .string("main"), .null])
        }
    }

    @Test("A head that timed out has a line with its received part and its duration")
    func lateHead() throws {
        try withScene(Layout(limits: ["headTimeout: 100ms"])) { scene in
            for (sent, target) in [
                ("GET http://a.example/x?canary HTTP/1.1\r\nHo", "http://a.example/x"), ("GET http://user:canary", ""),
            ] {
                let client = try scene.client()
                defer { client.close() }
                #expect(try client.exchange(sent).status == 408)
                let line = try #require(try scene.accessLog(target.isEmpty ? 2 : 1).last)
                let entry = try JSON(line)
                #expect(entry["method"] == .string("GET") && entry["target"] == .string(target), "\(line)")
                #expect(try #require(entry["durationMs"]?.number) >= 100)
                #expect(!line.contains("canary"))
            }
        }
    }

    @Test("An exchange that failed, or that the client or the backend cut short, has its line too")
    func cutShort() throws {
        try withScene(backend: Scripts.once("rubbish\r\n\r\n")) { scene in
            _ = try scene.get()
            let entry = try JSON(try #require(try scene.accessLog(1).first))
            #expect(entry["status"] == .number(502))
            #expect(entry["source"] == .string("upstream"))
            #expect(entry["error"]?.string?.isEmpty == false)
        }
        try withScene(backend: Scripts.once("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhello")) { scene in
            _ = try? scene.get()
            let entry = try JSON(try #require(try scene.accessLog(1).first))
            #expect(entry["source"] == .string("upstream"))
            #expect(entry["error"]?.string?.isEmpty == false)
        }
        try withScene(backend: Scripts.silent) { scene in
            let client = try scene.client()
            try client.send("GET \(scene.url)/ HTTP/1.1\r\nHost: x\r\n\r\n")
            try scene.backend.wait("the request") { !$0.requests.isEmpty }
            client.reset()
            let entry = try JSON(try #require(try scene.accessLog(1).first))
            #expect(entry["route"] == .string("main"))
            #expect(entry["status"] == .number(0))
            #expect(entry["source"] == .string("downstream") && entry["code"] == .string("client-gone"))
        }
        try withScene(backend: Scripts.silent) { scene in
            let client = try scene.client()
            defer { client.close() }
            try client.send("POST \(scene.url)/ HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\nhalf")
            client.endWriting()
            let entry = try JSON(try #require(try scene.accessLog(1).first))
            #expect(entry["source"] == .string("downstream") && entry["code"] == .string("client-gone"))
            #expect(entry["error"]?.string?.contains("before its request was complete") == true)
        }
    }

    @Test(
        "The line of a request that was sent again has the number of attempts, the credential and the backend's challenge"
    )
    func refusedToken() throws {
        let script = ScriptedServer.answering { request in
            request.fields["Authorization"]?.hasPrefix("Bearer canary-2") == true
                ? Scripts.response("ok")
                : Scripts.response(
                    "no", status: "401 Unauthorized", fields: "WWW-Authenticate: Bearer error=\"invalid_token\"\r\n")
        }
        try withScene(backend: script) { scene in
            #expect(try scene.get().status == 200)
            #expect(try scene.get().status == 200)
            let entries = try scene.accessLog(2).map { try JSON($0) }
            for entry in entries {
                #expect(entry["credential"] == .string("main"))
                #expect((0..<60).contains(try #require(entry["tokenAge"]?.number)))
            }
            #expect(entries.map { $0["attempts"] } == [.number(2), .number(1)])
            #expect(entries.map { $0["challenge"] } == [.string("invalid_token"), nil])
        }
    }

    @Test("A request that waits in vain for its token names the credential and no token's age")
    func noToken() throws {
        try withScene(then: .status(400, "{\"error\":\"invalid_client\"}")) { scene in
            #expect(try scene.get().status == 503)
            let entry = try JSON(try #require(try scene.accessLog(1).first))
            #expect(entry["credential"] == .string("main"))
            #expect(entry["attempts"] == .number(0))
            #expect(entry["tokenAge"] == nil && entry["challenge"] == nil)
        }
    }

    @Test("Chosen fields tell where the request went, what became of its credential, and how long each phase took")
    func chosenFields() throws {
        let fields = [
            "path", "query", "authority", "clientAddress", "upstreamAddress", "connectionReused", "credentialOutcome",
            "credentialMs", "connectMs", "firstByteMs", "durationMs", "traceId", "status",
        ]
        let script = ScriptedServer.answering { request in
            request.target.hasPrefix("/refused")
                && request.fields["Authorization"]?.hasPrefix("Bearer canary-1") == true
                ? Scripts.response(
                    "no", status: "401 Unauthorized", fields: "WWW-Authenticate: Bearer error=\"invalid_token\"\r\n")
                : Scripts.response("ok")
        }
        try withScene(Layout(route: ["authorization: keep"], logFields: fields), backend: script) { scene in
            let client = try scene.client()
            defer { client.close() }
            for target in ["/one?a=b", "/two", "/refused"] {
                _ = try client.exchange(
                    "GET \(scene.url)\(target) HTTP/1.1\r\nHost: x\r\n"
                        + "traceparent: 00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-00\r\n\r\n")
            }
            _ = try client.exchange("GET \(scene.url)/own HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer mine\r\n\r\n")
            let lines = try scene.accessLog(4)
            let entries = try lines.map { try JSON($0) }
            #expect(
                entries.map { $0["path"] } == [.string("/one"), .string("/two"), .string("/refused"), .string("/own")])
            #expect(entries.map { $0["query"] } == [.string("a=b"), nil, nil, nil])
            #expect(entries.map { $0["connectionReused"] } == [.bool(false), .bool(true), .bool(false), .bool(true)])
            #expect(
                entries[0]["credentialOutcome"] == .string("attached")
                    || entries[0]["credentialOutcome"] == .string("fetched"))
            #expect(entries[1]["credentialOutcome"] == .string("attached"))
            #expect(entries.map { $0["credentialMs"] != nil }.suffix(3) == [false, true, false])
            #expect(entries.map { $0["connectMs"] != nil } == [true, false, true, false])
            for entry in entries {
                #expect(entry["authority"] == .string(scene.backend.authority))
                #expect(entry["upstreamAddress"] == .string(scene.backend.authority))
                #expect(entry["clientAddress"]?.string?.hasPrefix("127.0.0.1:") == true)
                let first = try #require(entry["firstByteMs"]?.number)
                #expect(first <= (try #require(entry["durationMs"]?.number)))
            }
            for entry in entries.dropLast() { #expect(entry["traceId"] == .string("0af7651916cd43dd8448eb211c80319c")) }
            // The backend gets the app's trace unchanged.
            let requests = scene.backend.requests
            #expect(
                requests.first?.fields["traceparent"] == "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-00")
        }
    }

    @Test("A request whose token never came says so, and how long it waited")
    func failedCredential() throws {
        let layout = Layout(logFields: ["credentialOutcome", "credentialMs", "connectMs", "status"])
        try withScene(layout, then: .status(400, "{\"error\":\"invalid_client\"}")) { scene in
            #expect(try scene.get().status == 503)
            let entry = try JSON(try #require(try scene.accessLog(1).first))
            #expect(entry["credentialOutcome"] == .string("failed"))
            #expect(entry["connectMs"] == nil)
        }
    }

    @Test("A log that cannot be written stops no exchange")
    func unwritable() throws {
        try withScene(Layout(accessLog: "/dev/full")) { scene in
            for _ in 0..<50 {
                let response = try scene.get()
                #expect(response.status == 200)
            }
        }
    }
}
