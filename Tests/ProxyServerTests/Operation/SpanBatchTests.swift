import Support
import Testing

@testable import ProxyServer

@Suite("Batches of spans")
struct SpanBatchTests: SpanTests {
    @Test("A batch goes to /v1/traces as JSON with the resource's attributes and the fields of the file")
    func batch() throws {
        let directory = try TemporaryDirectory()
        defer { directory.remove() }
        let file = try directory.write(
            "# of the collector\r\nX-Key:  canary \n\nAuthorization: Basic b\n", to: "headers")
        try withCollector(
            ", serviceName: edge, resourceAttributes: { deployment.environment.name: 'a\"b' }, headersFile: \(file)"
        ) { scene, collector in
            _ = try exchange(scene)
            _ = try spans(scene, collector)
            let request = try #require(collector.requests.first)
            #expect(request.method == "POST" && request.target == "/v1/traces")
            #expect(request.fields["Content-Type"] == "application/json")
            #expect(request.fields["X-Key"] == "canary" && request.fields["Authorization"] == "Basic b")
            let text = String(decoding: request.body, as: UTF8.self)
            #expect(text.contains(#"{"key":"service.name","value":{"stringValue":"edge"}}"#), "\(text)")
            #expect(text.contains(#"{"key":"deployment.environment.name","value":{"stringValue":"a\"b"}}"#), "\(text)")
        }
    }

    @Test("Spans that the collector refuses are dropped and counted, and no request waits")
    func refused() throws {
        try withCollector(status: "503 Unavailable") { scene, collector in
            _ = try exchange(scene)
            _ = try spans(scene, collector)
            try Patience.poll("they are counted") {
                try count(scene, "dropped") == 2 ? () : nil
            }
            #expect(try count(scene, "sent") == 0)
            #expect(scene.proxy.log.text.contains("spans not sent"))
            #expect(scene.proxy.log.text.contains("the collector answered 503; check tracing.endpoint"))
            #expect(try exchange(scene).status == 200)
        }
    }

    @Test("A collector that does not answer loses spans but delays no request")
    func silent() throws {
        let collector = try ScriptedServer(Scripts.silent)
        defer { collector.stop() }
        try withScene(Layout(top: ["tracing: { endpoint: \"\(collector.url)\" }"])) { scene in
            let client = try scene.client()
            defer { client.close() }
            for _ in 0..<1300 { #expect(try client.get("\(scene.url)/").status == 200) }
            // One batch is on its way, and 2,048 spans wait.
            try Patience.poll("the others are counted") {
                try count(scene, "dropped") ?? 0 > 0 ? () : nil
            }
        }
    }

    /// Drains with the spans of an exchange, again and again until the collector was in time: on a busy machine, 2 s may
    /// be too short for it.
    private func drain(
        collector script: ScriptedServer.Script? = nil, _ begin: (Scene, ScriptedServer) throws -> Void,
        check: (ScriptedServer) throws -> Void
    ) throws {
        for _ in 0..<20 {
            var isInTime = false
            try withCollector(collector: script) { scene, collector in
                try begin(scene, collector)
                try scene.proxy.waitForEnd()
                isInTime = !scene.proxy.log.text.contains("before the end of the drain")
                if isInTime { try check(collector) }
            }
            if isInTime { return }
        }
        Issue.record("the collector was never in time")
    }

    @Test("A drain sends the last spans")
    func lastSpans() throws {
        try drain { scene, _ in
            _ = try exchange(scene)
            scene.proxy.drain()
        } check: { collector in
            let batch = try #require(collector.requests.first)
            #expect(try Self.spans(in: batch).count == 2)
        }
    }

    @Test("A drain sends the spans that were gathered while a batch was on its way")
    func drainBehindBatch() throws {
        let gates = Monitor<[Gate]>([])
        let script: ScriptedServer.Script = { connection in
            guard try connection.request() != nil else { return }
            try gates.access { $0.last }?.wait()
            try connection.send(Scripts.response("{}"))
        }
        try drain(collector: script) { scene, collector in
            let gate = Gate("the first batch is answered")
            gates.access { $0.append(gate) }
            _ = try exchange(scene, "/first")
            #expect(try spans(scene, collector).count == 2)
            _ = try exchange(scene, "/second")
            scene.proxy.drain()
            gate.open()
        } check: { collector in
            try #require(collector.requests.count == 2)
            let last = try Self.spans(in: collector.requests[1])
            #expect(last.count == 2 && attributes(last[0])["url.path"] == .string("/second"))
        }
    }

    @Test("A drain waits 2 s for the collector, then drops and reports all spans that are left")
    func drainLimit() throws {
        let closed = Gate("the connection to the collector is closed")
        let script: ScriptedServer.Script = { connection in
            try Scripts.silent(connection)
            closed.open()
        }
        try withCollector(collector: script) { scene, collector in
            _ = try exchange(scene)
            _ = try spans(scene, collector)
            _ = try exchange(scene)
            scene.proxy.drain()
            try scene.proxy.waitForEnd()
            try closed.wait()
            let log = scene.proxy.log.text
            #expect(log.contains("spans not sent") && log.contains("before the end of the drain"), "\(log)")
            #expect(log.contains(#""dropped": 4"#), "\(log)")
        }
    }

    @Test("Spans of long paths fill a batch and the room behind it by their bytes")
    func longPaths() throws {
        try withCollector(collector: Scripts.silent) { scene, collector in
            let client = try scene.client()
            defer { client.close() }
            let path = "/" + String(repeating: "p", count: 60_000)
            for _ in 0..<60 { #expect(try client.get("\(scene.url)\(path)").status == 200) }
            // Without the clock's help: a batch of 1 MiB is on its way, and 4 MiB wait.
            try collector.wait("a batch") { !$0.requests.isEmpty }
            let size = try #require(collector.requests.first).body.count
            #expect((1 << 20..<1 << 21).contains(size))
            let dropped = try #require(try count(scene, "dropped"))
            #expect((10...40).contains(dropped))
        }
    }

    @Test("The name of the collector is resolved as the configuration says")
    func resolved() throws {
        let collector = try ScriptedServer(answering: { _ in Scripts.response("{}") })
        defer { collector.stop() }
        let layout = Layout(top: [
            "tracing: { endpoint: \"http://collector.test:\(collector.port)\" }",
            "resolve: { collector.test: 127.0.0.1 }",
        ])
        try withScene(layout) { scene in
            _ = try exchange(scene)
            #expect(try spans(scene, collector).count == 2)
            #expect(collector.requests.first?.fields["Host"] == "collector.test:\(collector.port)")
            #expect(collector.requests.first?.fields["Via"] != nil)
        }
    }

    @Test("Spans are never sent to a listener of Attaché, which would trace them")
    func ownListener() throws {
        let address = "127.\(Int.random(in: 1...254)).\(Int.random(in: 1...254)).9:\(Int.random(in: 20_000...30_000))"
        let layout = Layout(
            listeners: ["{ address: 127.0.0.1:0 }", "{ address: \"\(address)\", mode: gateway, route: main }"],
            top: ["tracing: { endpoint: \"http://\(address)\" }"])
        try withScene(layout) { scene in
            _ = try exchange(scene)
            try scene.proxy.pass(.seconds(5))
            try scene.proxy.log.wait(for: "listener of this attache")
            #expect(try count(scene, "dropped") == 2)
            #expect(scene.backend.requests.count == 1)
        }
    }

    @Test("A way to the collector that leads back to Attaché is reported with the setting to correct")
    func leadsBack() throws {
        try withCollector(status: "508 Loop Detected") { scene, collector in
            _ = try exchange(scene)
            _ = try spans(scene, collector)
            try scene.proxy.log.wait(for: "leads back to an attache; correct tracing.endpoint")
            #expect(!scene.proxy.log.text.contains("token server"))
        }
    }

    @Test("Spans that the collector rejects out of a batch count as dropped, and the log says why")
    func rejected() throws {
        let answer = #"{"partialSuccess":{"rejectedSpans":"1","errorMessage":"too\nold"}}"#
        try withCollector(answer: answer) { scene, collector in
            _ = try exchange(scene)
            _ = try spans(scene, collector)
            try scene.proxy.log.wait(for: "the collector rejected 1 of 2: too\nold")
            #expect(try count(scene, "sent") == 1 && count(scene, "dropped") == 1)
        }
    }

    @Test("A collector that rejects spans without a message is reported without one")
    func rejectedSilently() throws {
        try withCollector(answer: #"{"partialSuccess":{"rejectedSpans":2}}"#) { scene, collector in
            _ = try exchange(scene)
            _ = try spans(scene, collector)
            try scene.proxy.log.wait(for: #""reason": the collector rejected 2 of 2"#)
            #expect(!scene.proxy.log.text.contains("2 of 2:"))
        }
    }

    @Test("A missing headersFile costs its batch, and the log names it and says what to do")
    func missingHeaders() throws {
        let directory = try TemporaryDirectory()
        defer { directory.remove() }
        let file = try directory.write("X-Key: canary\n", to: "headers")
        try withCollector(", headersFile: \(file)") { scene, collector in
            directory.remove()
            _ = try exchange(scene)
            try scene.proxy.pass(.seconds(5))
            try scene.proxy.log.wait(
                for: "cannot read tracing.headersFile \(file): no such file; correct the path")
            #expect(try count(scene, "dropped") == 2)
            #expect(collector.requests.isEmpty)
        }
    }
}
