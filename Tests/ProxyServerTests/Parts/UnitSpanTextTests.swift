import EventTransport
import HTTPWire
import ProxyCore
import Support
import Testing

@testable import ProxyServer

@Suite("The text of spans")
struct UnitSpanTextTests {
    private static let origin = Origin(scheme: .https, host: "::1", port: 8443)

    private static func at(_ seconds: Int64) -> MonotonicInstant {
        MonotonicInstant(nanoseconds: seconds * 1_000_000_000)
    }

    /// The spans of one exchange, which ends after 9 s.
    private func spans(
        _ requestLine: String = "GET http://a.test/x HTTP/1.1", _ fields: String = "Host: a.test\r\n",
        sendings: (ExchangeTrace) -> Void = { _ in }, record change: (inout ExchangeRecord) -> Void = { _ in }
    ) throws -> [JSON] {
        let bytes = Array("\(requestLine)\r\n\(fields)\r\n".utf8)
        let head = try #require(try RequestHead.parse(bytes.span, limits: HeadLimits()))
        let span = TraceParent(traceID: TraceID(high: 1, low: 2), spanID: 3, isSampled: true, isRandom: true)
        let parent = TraceParent(traceID: TraceID(high: 1, low: 2), spanID: 4, isSampled: true, isRandom: true)
        let trace = ExchangeTrace(span, continuing: parent, head, in: bytes.span)
        let details = ExchangeDetails()
        details.reset(for: nil)
        details.note(head, in: bytes.span)
        sendings(trace)
        var record = ExchangeRecord()
        record.reset(at: Self.at(1))
        change(&record)
        var text = SpanText()
        text.append(
            trace, details, record, endedAt: Self.at(9), names: (route: Array(#""r\"1""#.utf8), credential: nil),
            unixTime: 1_000_000_000_000)
        let list = text.out.withSpan { bytes in
            var copy: [UInt8] = []
            copy.append(copying: bytes)
            return String(decoding: copy, as: UTF8.self)
        }
        guard case .array(let spans) = try JSON("[\(list)]") else { return [] }
        #expect(text.spanCount == spans.count)
        return spans
    }

    private func attributes(_ span: JSON) throws -> [String: String] {
        guard case .array(let list) = span["attributes"] else { return [:] }
        var found: [String: String] = [:]
        for entry in list {
            let key = try #require(entry["key"]?.string)
            #expect(found[key] == nil, "\(key) twice")
            found[key] = entry["value"]?["stringValue"]?.string ?? entry["value"]?["intValue"]?.string ?? "other"
        }
        return found
    }

    private func send(_ trace: ExchangeTrace, at second: Int64, id: UInt64, status: Int = 0) {
        trace.sendingBegan(to: Self.origin, at: Self.at(second)) { id }
        if status > 0 { trace.answered(status) }
    }

    @Test("Texts of the app and of the configuration are escaped")
    func escapes() throws {
        let span = try #require(
            try spans("GET http://a.test/x\"\\y?canary=1 HTTP/1.1", "Host: a.test\r\ntracestate: a=\"\\\r\n").first)
        let found = try attributes(span)
        #expect(found["url.path"] == "/x\"\\y" && found["attache.route"] == "r\"1")
        #expect(span["traceState"] == .string("a=\"\\"))
        #expect(span["startTimeUnixNano"] == .string("1001000000000"))
        #expect(span["endTimeUnixNano"] == .string("1009000000000"))
    }

    @Test("A method that OpenTelemetry does not know is _OTHER")
    func otherMethod() throws {
        let span = try #require(try spans("BREW http://a.test/ HTTP/1.1").first)
        let found = try attributes(span)
        #expect(span["name"] == .string("HTTP"))
        #expect(found["http.request.method"] == "_OTHER" && found["http.request.method_original"] == "BREW")
    }

    @Test(
        "The host of the target is an address without brackets, or a name",
        arguments: [
            ("GET http://[::1]:81/ HTTP/1.1", "::1", "81"), ("GET http://[::1]/ HTTP/1.1", "::1", nil),
            ("GET http://a.test:81/ HTTP/1.1", "a.test", "81"), ("GET http://a.test/ HTTP/1.1", "a.test", nil),
        ] as [(String, String, String?)])
    func authority(_ requestLine: String, _ host: String, _ port: String?) throws {
        let spans = try spans(requestLine, "Host: x\r\n", sendings: { send($0, at: 2, id: 5) })
        let (inside, outside) = (try attributes(spans[0]), try attributes(spans[1]))
        #expect(inside["server.address"] == host && inside["server.port"] == port)
        #expect(outside["server.address"] == "::1" && outside["server.port"] == "8443")
    }

    @Test("A request without a response is an error without a status")
    func noStatus() throws {
        let span = try #require(try spans().first)
        let found = try attributes(span)
        #expect(span["status"]?["code"] == .number(2))
        #expect(found["http.response.status_code"] == nil && found["error.type"] == nil)
    }

    @Test("A refusal that leads to another sending has its status and its reason")
    func resent() throws {
        let spans = try spans(
            sendings: { trace in
                send(trace, at: 2, id: 5, status: 403)
                trace.sendingFailed(.tokenRefused, at: Self.at(3))
                send(trace, at: 6, id: 6, status: 200)
            }, record: { $0.status = 200 })
        try #require(spans.count == 3)
        let (first, second) = (try attributes(spans[1]), try attributes(spans[2]))
        #expect(first["http.response.status_code"] == "403" && first["error.type"] == "token_refused")
        #expect(first["http.request.resend_count"] == nil && second["http.request.resend_count"] == "1")
        #expect(second["http.response.status_code"] == "200" && second["error.type"] == nil)
        #expect(spans.map { $0["status"] != nil } == [false, true, false])
        #expect(spans[1]["endTimeUnixNano"] == .string("1003000000000"))
        #expect(spans[2]["startTimeUnixNano"] == .string("1006000000000"))
        #expect(spans[1]["spanId"] == .string("0000000000000005"))
        #expect(spans.map { $0["parentSpanId"]?.string?.last } == ["4", "3", "3"])
    }

    @Test("Attaché's own answer to a fault of the app is no response of the backend")
    func ownAnswer() throws {
        let spans = try spans(
            sendings: { send($0, at: 2, id: 5) },
            record: {
                $0.status = 400
                $0.error = ProxyError(.malformedRequest(.malformedChunkSize), "x")
            })
        let (inside, outside) = (try attributes(spans[0]), try attributes(spans[1]))
        #expect(inside["http.response.status_code"] == "400")
        #expect(outside["http.response.status_code"] == nil && outside["error.type"] == nil)
        #expect(spans.map { $0["status"] != nil } == [false, false])
    }

    @Test("A response that was cut after its head has its status and the error")
    func cut() throws {
        let spans = try spans(
            sendings: { send($0, at: 2, id: 5, status: 200) },
            record: {
                $0.status = 200
                $0.error = ProxyError(.connectionTerminated, "x")
            })
        let outside = try attributes(spans[1])
        #expect(outside["http.response.status_code"] == "200" && outside["error.type"] == "connection-terminated")
        #expect(spans[1]["status"]?["code"] == .number(2))
    }
}
