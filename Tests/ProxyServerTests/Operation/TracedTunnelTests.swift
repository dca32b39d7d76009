import Support
import Testing

@Suite("Tracing inside tunnels")
struct TracedTunnelTests: SpanTests {
    private static let terminated = Layout(route: ["connect: terminate"], match: "{ host: api.test }")

    private func terminatedTunnel(_ scene: Scene) throws -> RawClient {
        let client = try scene.client()
        try client.send("CONNECT api.test:80 HTTP/1.1\r\nHost: api.test:80\r\n\r\n")
        #expect(try client.response(to: "CONNECT").status == 200)
        return client
    }

    @Test("A tunnel has its spans when it ends")
    func tunnel() throws {
        try withCollector(layout: .tunnelling(), backend: Scripts.mirror) { scene, collector in
            let client = try scene.tunnel()
            try client.send("bytes")
            #expect(try client.receive(exactly: 5) == Array("bytes".utf8))
            client.close()
            _ = try scene.accessLog(1)
            let spans = try spans(scene, collector)
            try #require(spans.count == 2)
            for span in spans {
                #expect(span["name"] == .string("CONNECT") && span["status"] == nil)
                #expect(attributes(span)["server.port"] == .string("\(scene.backend.port)"))
            }
            #expect(attributes(spans[0])["http.response.status_code"] == .string("200"))
            // No backend has answered the CONNECT.
            #expect(attributes(spans[1])["http.response.status_code"] == nil)
            #expect(attributes(spans[1])["url.full"] == nil)
        }
    }

    @Test("A WebSocket has its spans when it ends, with the status of its handshake")
    func webSocket() throws {
        let script: ScriptedServer.Script = { connection in
            _ = try connection.request()
            try connection.send(
                "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
                    + "Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n\r\n")
            try Scripts.mirror(connection)
        }
        try withCollector(backend: script) { scene, collector in
            let client = try scene.client()
            let response = try client.exchange(
                "GET \(scene.url)/socket HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
                    + "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n")
            #expect(response.status == 101)
            client.endWriting()
            #expect(try client.endsNow())
            client.close()
            _ = try scene.accessLog(1)
            let spans = try spans(scene, collector)
            try #require(spans.count == 2)
            for span in spans {
                #expect(span["name"] == .string("GET") && span["status"] == nil)
                #expect(attributes(span)["http.response.status_code"] == .string("101"))
            }
            let parent = scene.backend.requests.first?.fields["traceparent"]
            #expect(parent?.split(separator: "-")[2] == spans[1]["spanId"]?.string?[...])
        }
    }

    @Test("A request inside a terminated tunnel has its own spans, as if it had come in absolute-form")
    func terminated() throws {
        try withCollector(layout: Self.terminated) { scene, collector in
            let client = try terminatedTunnel(scene)
            defer { client.close() }
            #expect(try client.exchange("GET /a?canary HTTP/1.1\r\nHost: api.test\r\n\r\n").status == 200)
            let spans = try spans(scene, collector)
            try #require(spans.count == 3)
            #expect(spans.map { $0["name"] } == [.string("CONNECT"), .string("GET"), .string("GET")])
            #expect(spans.map { $0["kind"] } == [.number(2), .number(2), .number(3)])
            #expect(spans[1]["traceId"] != spans[0]["traceId"] && spans[2]["parentSpanId"] == spans[1]["spanId"])
            let inside = attributes(spans[1])
            #expect(inside["url.path"] == .string("/a") && inside["server.address"] == .string("api.test"))
            #expect(attributes(spans[2])["url.full"] == .string("\(scene.backend.url)/a"))
            let parent = scene.backend.requests.first?.fields["traceparent"]
            #expect(parent?.split(separator: "-")[2] == spans[2]["spanId"]?.string?[...])
        }
    }

    @Test("sampleRatio holds inside a terminated tunnel too: Attaché decides once for each request")
    func sampledOnce() throws {
        try withCollector(", sampleRatio: 0.5", layout: Self.terminated) { scene, _ in
            let client = try terminatedTunnel(scene)
            defer { client.close() }
            for _ in 0..<500 {
                #expect(try client.exchange("GET /a HTTP/1.1\r\nHost: api.test\r\n\r\n").status == 200)
            }
            // 250 are expected, with a standard deviation of 11; two decisions would trace 375.
            let count = scene.backend.requests.count { $0.fields["traceparent"] != nil }
            #expect((188...312).contains(count))
        }
    }
}
