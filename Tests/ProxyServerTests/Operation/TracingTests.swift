import Support
import Testing

@testable import ProxyServer

@Suite("Tracing")
struct TracingTests: SpanTests {
    private static let app = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331"

    @Test("A sampled trace of the app is continued: the backend's parent is the span of the sending")
    func continued() throws {
        try withCollector { scene, collector in
            let response = try exchange(
                scene, "/orders?canary", "traceparent: \(Self.app)-01\r\ntracestate: a=1\r\nTraceState: b=2\r\n")
            #expect(response.status == 200)
            let request = try #require(scene.backend.requests.first)
            let spans = try spans(scene, collector)
            let (server, client) = (spans.first, spans.last)
            #expect(spans.count == 2)
            for span in spans {
                #expect(span["traceId"] == .string("0af7651916cd43dd8448eb211c80319c"))
                #expect(span["traceState"] == .string("a=1,b=2"))
                #expect(span["name"] == .string("GET"))
                #expect(span["status"] == nil)
            }
            #expect(server?["parentSpanId"] == .string("b7ad6b7169203331"))
            #expect(server?["kind"] == .number(2) && client?["kind"] == .number(3))
            let clientID = try #require(client?["spanId"]?.string)
            #expect(client?["parentSpanId"] == server?["spanId"])
            #expect(request.fields["traceparent"] == "00-0af7651916cd43dd8448eb211c80319c-\(clientID)-01")
            #expect(request.fields["tracestate"] == "a=1,b=2")
            #expect(request.head.lowercased().split(separator: "tracestate").count == 2)
            let (inside, outside) = (attributes(server), attributes(client))
            #expect(inside["url.path"] == .string("/orders") && inside["url.scheme"] == .string("http"))
            #expect(inside["http.request.method"] == .string("GET") && inside["attache.route"] == .string("main"))
            #expect(inside["http.response.status_code"] == .string("200"))
            #expect(inside["server.port"] == .string("\(scene.backend.port)"))
            #expect(inside["client.address"] == .string("127.0.0.1"))
            #expect(outside["url.full"] == .string("\(scene.backend.url)/orders"))
            #expect(outside["network.peer.port"] == .string("\(scene.backend.port)"))
            #expect(outside["attache.credential"] == .string("main"))
            #expect(outside["attache.connection.reused"] == .bool(false))
            let batch = String(decoding: try #require(collector.requests.first).body, as: UTF8.self)
            #expect(!batch.contains("canary"))
            let times = try [server, client].flatMap { span in
                try ["startTimeUnixNano", "endTimeUnixNano"].map { try #require(UInt64(span?[$0]?.string ?? "")) }
            }
            #expect(times[0] <= times[2] && times[2] <= times[3] && times[3] <= times[1])
        }
    }

    @Test("A trace without the flag is passed on unchanged, and has no spans")
    func unsampled() throws {
        try withCollector { scene, collector in
            _ = try exchange(scene, "/", "traceparent: \(Self.app)-00\r\ntracestate: odd\r\n")
            #expect(scene.backend.requests.first?.fields["traceparent"] == "\(Self.app)-00")
            #expect(scene.backend.requests.first?.fields["tracestate"] == "odd")
            try scene.proxy.pass(.seconds(60))
            #expect(collector.requests.isEmpty)
            #expect(try scene.accessLog(1).first?.contains("traceId") == false)
        }
    }

    @Test(
        "A request without a valid trace begins one, which the access log names",
        arguments: [
            "", "traceparent: \(app)\r\ntracestate: a=1\r\n", "traceparent: ff\(app.dropFirst(2))-01\r\n",
            "traceparent: \(app)-01\r\ntraceparent: \(app)-01\r\n",
        ])
    func begun(_ fields: String) throws {
        try withCollector { scene, collector in
            _ = try exchange(scene, "/", fields)
            let spans = try spans(scene, collector)
            let trace = try #require(spans.first?["traceId"]?.string)
            #expect(spans.first?["parentSpanId"] == nil && spans.first?["traceState"] == nil)
            let client = try #require(spans.last?["spanId"]?.string)
            let request = try #require(scene.backend.requests.first)
            #expect(request.fields["traceparent"] == "00-\(trace)-\(client)-03")
            #expect(request.fields["tracestate"] == nil)
            #expect(try JSON(try #require(try scene.accessLog(1).first))["traceId"] == .string(trace))
        }
    }

    @Test("A request that is sent again has a span for each sending, and each its own parent at the backend")
    func resent() throws {
        let script = ScriptedServer.answering { request in
            request.fields["Authorization"]?.hasPrefix("Bearer canary-1") == true
                ? Scripts.response(
                    "no", status: "401 Unauthorized", fields: "WWW-Authenticate: Bearer error=\"invalid_token\"\r\n")
                : Scripts.response("ok")
        }
        try withCollector(backend: script) { scene, collector in
            #expect(try exchange(scene).status == 200)
            let spans = try spans(scene, collector)
            try #require(spans.count == 3)
            let parents = scene.backend.requests.map { $0.fields["traceparent"]?.split(separator: "-")[2] }
            #expect(parents.map { $0.map(String.init) } == spans.dropFirst().map { $0["spanId"]?.string })
            #expect(attributes(spans[1])["error.type"] == .string("token_refused"))
            #expect(attributes(spans[1])["http.response.status_code"] == .string("401"))
            #expect(attributes(spans[2])["http.response.status_code"] == .string("200"))
            #expect(attributes(spans[2])["http.request.resend_count"] == .string("1"))
            #expect(spans.map { $0["status"] != nil } == [false, true, false])
        }
    }

    @Test("The span of a refused sending ends with the refusal, and not with the fetch of another token")
    func fetchAfterRefusal() throws {
        let gate = Gate("the second token comes")
        let tokens: [FakeTokenEndpoint.Answer] = [.token(expiresIn: "3600"), .held(gate, .token(expiresIn: "3600"))]
        let script = ScriptedServer.answering { request in
            request.fields["Authorization"]?.hasPrefix("Bearer canary-1") == true
                ? Scripts.response(
                    "no", status: "401 Unauthorized", fields: "WWW-Authenticate: Bearer error=\"invalid_token\"\r\n")
                : Scripts.response("ok")
        }
        try withCollector(tokens: tokens, backend: script) { scene, collector in
            let client = try scene.client()
            defer { client.close() }
            try client.send("GET \(scene.url)/ HTTP/1.1\r\nHost: x\r\n\r\n")
            try scene.tokens.waitForRequests(2)
            try scene.proxy.pass(.seconds(3))
            gate.open()
            #expect(try client.response().status == 200)
            let spans = try spans(scene, collector)
            try #require(spans.count == 3)
            let (first, second) = (spans[1]["endTimeUnixNano"]?.string, spans[2]["startTimeUnixNano"]?.string)
            let wait = try #require(Int64(second ?? "")) - #require(Int64(first ?? ""))
            #expect(wait >= 3_000_000_000)
        }
    }

    @Test("A failure is an error of both spans, with its code; a refusal by Attaché is no error of the server")
    func failures() throws {
        let backend: ScriptedServer.Script = { connection in _ = try connection.request() }
        try withCollector(backend: backend) { scene, collector in
            #expect(try exchange(scene).status == 502)
            let client = try scene.client()
            defer { client.close() }
            #expect(try client.get("http://denied.example/").status == 403)
            let spans = try spans(scene, collector)
            try #require(spans.count == 3)
            for span in spans.prefix(2) {
                #expect(attributes(span)["error.type"] == .string("connection-terminated"))
                #expect(span["status"]?["code"] == .number(2))
            }
            #expect(attributes(spans[2])["http.response.status_code"] == .string("403"))
            #expect(spans[2]["status"] == nil && attributes(spans[2])["error.type"] == nil)
        }
    }

    @Test("With sampleRatio 0, only sampled traces of apps have spans")
    func noShare() throws {
        try withCollector(", sampleRatio: 0") { scene, collector in
            _ = try exchange(scene)
            #expect(scene.backend.requests.first?.fields["traceparent"] == nil)
            _ = try exchange(scene, "/", "traceparent: \(Self.app)-01\r\n")
            #expect(try spans(scene, collector).count == 2)
        }
    }

    @Test("Without tracing, the app's trace goes on as it came, valid or not")
    func off() throws {
        try withScene { scene in
            for value in ["\(Self.app)-01", "\(Self.app)-00", "nonsense"] {
                _ = try exchange(scene, "/", "traceparent: \(value)\r\ntracestate: x\r\n")
                #expect(scene.backend.requests.last?.fields["traceparent"] == value)
                #expect(scene.backend.requests.last?.fields["tracestate"] == "x")
            }
            #expect(try scene.proxy.admin("/metrics").text.contains("attache_trace_spans_total") == false)
        }
    }
}
