import Support
import Testing

@testable import ProxyServer

/// Tests of the spans that a scene's proxy sends to a collector.
protocol SpanTests {}

extension SpanTests {
    /// Runs a scene with a collector, to which requests are the batches.
    func withCollector(
        _ settings: String = "", layout: Layout = Layout(), status: String = "200 OK", answer: String = "{}",
        collector script: ScriptedServer.Script? = nil, tokens: [FakeTokenEndpoint.Answer] = [],
        backend: @escaping ScriptedServer.Script = Scripts.ok, _ body: (Scene, ScriptedServer) throws -> Void
    ) throws {
        let answering = ScriptedServer.answering { _ in Scripts.response(answer, status: status) }
        let collector = try ScriptedServer(script ?? answering)
        defer { collector.stop() }
        var layout = layout
        layout.top.append("tracing: { endpoint: \"\(collector.url)\"\(settings) }")
        try withScene(layout, tokens: tokens, backend: backend) { try body($0, collector) }
    }

    /// Moves the clock on, waits for the first batch, and returns its spans.
    func spans(_ scene: Scene, _ collector: ScriptedServer) throws -> [JSON] {
        try scene.proxy.pass(.seconds(5))
        try collector.wait("a batch") { !$0.requests.isEmpty }
        return try collector.requests.flatMap { try Self.spans(in: $0) }
    }

    func count(_ scene: Scene, _ result: String) throws -> Double? {
        try UnitPrometheusText(try scene.proxy.admin("/metrics").text).value(
            "attache_trace_spans_total", ["result": result])
    }

    static func spans(in request: ReceivedRequest) throws -> [JSON] {
        let batch = try JSON(String(decoding: request.body, as: UTF8.self))
        guard case .array(let resources) = batch["resourceSpans"],
            case .array(let scopes) = resources.first?["scopeSpans"],
            case .array(let spans) = scopes.first?["spans"]
        else { throw PatienceExhausted("a batch has another form: \(batch)") }
        return spans
    }

    /// The values of the attributes by their keys.
    func attributes(_ span: JSON?) -> [String: JSON] {
        guard case .array(let list) = span?["attributes"] else { return [:] }
        return Dictionary(
            list.compactMap { entry in
                guard let key = entry["key"]?.string, case .object(let value) = entry["value"] else { return nil }
                return value.first.map { (key, $0.value) }
            }
        ) { first, _ in first }
    }

    func exchange(_ scene: Scene, _ target: String = "/", _ fields: String = "") throws -> ReceivedResponse {
        let client = try scene.client()
        defer { client.close() }
        return try client.exchange("GET \(scene.url)\(target) HTTP/1.1\r\nHost: x\r\n\(fields)\r\n")
    }
}
