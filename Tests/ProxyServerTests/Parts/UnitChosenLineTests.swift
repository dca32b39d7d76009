import EventTransport
import HTTPWire
import ProxyConfiguration
import ProxyCore
import Support
import Testing

@testable import ProxyServer

/// The line of the access log with chosen fields.
@Suite struct UnitChosenLineTests {
    private static let end = MonotonicInstant(nanoseconds: 9_000_000)

    private func line(
        _ fields: [AccessLogField], route: String = "\"main\"", credential: String? = nil,
        of record: borrowing ExchangeRecord
    ) -> String {
        var line = ChosenLine(fields)
        var out = OutputBuffer()
        line.append(
            record, endedAt: Self.end, route: Array(route.utf8).span, credential: credential.map { Array($0.utf8) },
            to: &out)
        return out.withSpan { bytes in
            var copy: [UInt8] = []
            copy.append(copying: bytes)
            return String(decoding: copy, as: UTF8.self)
        }
    }

    private func record(_ requestLine: String, _ fields: String = "Host: a.example\r\n") throws -> ExchangeRecord {
        var record = ExchangeRecord()
        record.reset(at: MonotonicInstant(nanoseconds: 1_000_000))
        let bytes = Array("\(requestLine)\r\n\(fields)\r\n".utf8)
        let head = try #require(try RequestHead.parse(bytes.span, limits: HeadLimits()))
        record.note(head, in: bytes.span)
        let details = ExchangeDetails()
        details.reset(for: nil)
        details.note(head, in: bytes.span)
        record.details = details
        return record
    }

    @Test("A chosen list that equals the standard one gives the same line as no choice")
    func sameLine() throws {
        let directory = try TemporaryDirectory()
        defer { directory.remove() }
        let path = directory.file("access.log")
        let writer = try BackgroundWriter(.file(path))
        let loop = try EventLoop()
        let log = AccessLog(writer: writer, routes: ["main"], credentials: ["b\"c"], loop: loop)
        var full = try record("GET http://a.example/x?canary HTTP/1.1")
        full.credential = 0
        full.tokenAge = 1_500_000_000
        for _ in 0..<2 { full.noteSending(at: .init(nanoseconds: 0)) }
        full.client = Array("\"uid:7\"".utf8)
        full.hasDroppedUpgrade = true
        full.status = 502
        full.note(challenge: Array("Basic".utf8), to: nil)
        full.note(received: 5, .init(status: 200, sentByteCount: 11))
        full.error = ProxyError(.connectionRefused, "so \"it\" goes")
        let bare = try record("GET / HTTP/1.1")
        log.append(full, endedAt: Self.end)
        log.append(bare, endedAt: Self.end)
        log.flush()
        writer.finish(within: .seconds(60))
        let lines = TemporaryDirectory.read(path).split(separator: "\n").map { "\($0)\n" }
        func timeless(_ line: String) -> String { line.replacing(#/"time":"[^"]*"/#, with: "") }
        let standard = AccessLogField.standard
        #expect(
            timeless(try #require(lines.first))
                == timeless(line(standard, route: "null", credential: "\"b\\\"c\"", of: full)))
        #expect(timeless(try #require(lines.last)) == timeless(line(standard, route: "null", of: bare)))
    }

    @Test("A line has the chosen fields in the chosen order, and leaves out those that do not apply")
    func order() throws {
        let record = try record("GET http://a.example:8080/x?q=1 HTTP/1.1")
        #expect(
            line([.status, .path, .upstream, .query, .method, .credentialOutcome, .authority], of: record)
                == #"{"status":0,"path":"/x","query":"q=1","method":"GET","authority":"a.example:8080"}"# + "\n")
        #expect(line([.upstream, .firstByteMs], of: record) == "{}\n")
    }

    @Test(
        "The target has its parts, whatever its form",
        arguments: [
            ("GET http://b.example HTTP/1.1", "b.example", "/", nil),
            ("GET http://b.example?x HTTP/1.1", "b.example", "/", "x"),
            ("GET /p?a=b?c=d&\"e\\ HTTP/1.1", "a.example", "/p", "a=b?c=d&\"e\\"),
            ("GET /p? HTTP/1.1", "a.example", "/p", nil),
            ("OPTIONS * HTTP/1.1", "a.example", "*", nil),
            ("CONNECT c.example:443 HTTP/1.1", "c.example:443", nil, nil),
        ] as [(String, String, String?, String?)])
    func target(_ requestLine: String, _ authority: String, _ path: String?, _ query: String?) throws {
        let entry = try JSON(line([.authority, .path, .query], of: try record(requestLine)))
        #expect(entry["authority"] == .string(authority))
        #expect(entry["path"] == path.map { .string($0) })
        #expect(entry["query"] == query.map { .string($0) })
    }

    @Test("Waits are counted by what the request waited for, and repeated ones are added")
    func phases() throws {
        let record = try record("GET / HTTP/1.1")
        guard let details = record.details else { return #expect(Bool(false), "the record has no details") }
        func instant(_ milliseconds: Int64) -> MonotonicInstant {
            MonotonicInstant(nanoseconds: 1_000_000 * (1 + milliseconds))
        }
        details.waitEnded(at: instant(0))
        details.waitBegan(for: .credential, at: instant(0))
        details.waitEnded(at: instant(1))
        details.waitBegan(for: .connection, at: instant(2))
        details.waitEnded(at: instant(4))
        details.waitBegan(for: .credential, at: instant(5))
        details.waitEnded(at: instant(7))
        details.waitEnded(at: instant(8))
        details.responseBegan(at: instant(7))
        #expect(
            line([.credentialMs, .connectMs, .firstByteMs, .durationMs], of: record)
                == #"{"credentialMs":3.000,"connectMs":2.000,"firstByteMs":7.000,"durationMs":8.000}"# + "\n")
    }

    @Test("The trace's identifier is that of the app, if it names one valid trace")
    func trace() throws {
        let valid = "traceparent: 00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01\r\n"
        func id(_ fields: String) throws -> JSON? {
            try JSON(line([.traceId], of: try record("GET / HTTP/1.1", "Host: a\r\n" + fields)))["traceId"]
        }
        #expect(try id(valid) == .string("0af7651916cd43dd8448eb211c80319c"))
        #expect(try id("") == nil)
        #expect(try id(valid + valid) == nil)
        #expect(try id("traceparent: 00-0\r\n") == nil)
    }

    @Test("Details that are used again keep nothing")
    func reused() throws {
        let record = try record("GET http://a.example/canary?canary HTTP/1.1")
        guard let details = record.details else { return #expect(Bool(false), "the record has no details") }
        details.credentialOutcome = .fetched
        details.responseBegan(at: Self.end)
        details.waitBegan(for: .connection, at: Self.end)
        details.reset(for: nil)
        details.waitEnded(at: Self.end)
        let all = AccessLogField.allCases.filter { !AccessLogField.standard.contains($0) }
        #expect(line(all, of: record) == "{}\n")
    }
}
