import EventTransport
import Logging
import ProxyConfiguration
import Testing
import TokenManager

@testable import ProxyServer

@Suite("The exporter of spans")
struct UnitSpanExporterTests {
    @Test("counts and reports spans that were gathered when it gives up without a batch on its way")
    func gathered() throws {
        let log = CapturedLog()
        let exporter = SpanExporter(
            TracingConfiguration(endpoint: try TokenURL("http://127.0.0.1:1/v1/traces")), resolve: [],
            avoiding: OwnIdentity(), loop: try EventLoop(), names: NameCounts(),
            logger: Logger(label: "test") { _ in log })
        exporter.dropped(1)
        exporter.giveUp(3)
        #expect(exporter.counts == SpanCounts(sent: 0, dropped: 4))
        #expect(log.text.contains("spans not sent"), "\(log.text)")
        #expect(log.text.contains("attache ended before it sent them"))
        #expect(log.text.contains(#""dropped": 4"#))
    }

    @Test("reports nothing when it gives up and nothing is left")
    func nothing() throws {
        let log = CapturedLog()
        let exporter = SpanExporter(
            TracingConfiguration(endpoint: try TokenURL("http://127.0.0.1:1/v1/traces")), resolve: [],
            avoiding: OwnIdentity(), loop: try EventLoop(), names: NameCounts(),
            logger: Logger(label: "test") { _ in log })
        exporter.giveUp(0)
        #expect(exporter.counts == SpanCounts() && log.text.isEmpty)
    }
}
