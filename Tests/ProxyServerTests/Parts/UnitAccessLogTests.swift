import EventTransport
import HTTPWire
import ProxyConfiguration
import ProxyCore
import Support
import Testing
import TokenManager

@testable import ProxyServer

/// The access log alone: its lines, its batches, and what becomes of a line that nobody takes.
@Suite struct UnitAccessLogTests {
    private static let routes = ["main", "a\"b\\c\r\nd"].map { name in
        Route(
            name: name, match: RouteMatch(host: .exact("a.example"), port: .any), upstream: .requestedHostOverTLS)
    }

    /// The lines that reach the file from what `body` does with a log.
    private func lines(
        capacity: Int = 1 << 22, fields: [AccessLogField] = AccessLogField.standard, _ body: (AccessLog) throws -> Void
    ) throws -> [String] {
        let directory = try TemporaryDirectory()
        defer { directory.remove() }
        let path = directory.file("access.log")
        let writer = try BackgroundWriter(.file(path), capacity: capacity)
        let loop = try EventLoop()
        try body(
            AccessLog(
                writer: writer, routes: Self.routes.map(\.name), credentials: ["a", "b\"c"], fields: fields, loop: loop)
        )
        writer.finish(within: .seconds(60))
        let text = TemporaryDirectory.read(path)
        #expect(text.isEmpty || text.hasSuffix("\n"))
        return text.split(separator: "\n").map(String.init)
    }

    private func sent(_ value: String) -> AuthorizationHeader {
        AuthorizationHeader(name: "Authorization", value: value, usableUntil: .now + .seconds(60))
    }

    private func append(_ record: borrowing ExchangeRecord, to log: AccessLog, nanoseconds: Int64 = 1_234_567) {
        log.append(record, endedAt: MonotonicInstant(nanoseconds: 1_000 + nanoseconds))
    }

    private func record(_ requestLine: String = "GET http://a.example/x HTTP/1.1") throws -> ExchangeRecord {
        var record = ExchangeRecord()
        record.reset(at: MonotonicInstant(nanoseconds: 1_000))
        let bytes = Array("\(requestLine)\r\nHost: a\r\n\r\n".utf8)
        let head = try #require(try RequestHead.parse(bytes.span, limits: HeadLimits()))
        record.note(head, in: bytes.span)
        return record
    }

    @Test("A line has the content of its record")
    func members() throws {
        let line = try #require(
            try lines { log in
                var record = try record("POST http://a.example/x?canary=1 HTTP/1.1")
                record.note(received: 5, .init(status: 201, sentByteCount: 1024))
                append(record, to: log)
                log.flush()
            }.first)
        let entry = try JSON(line)
        guard case .object(let members) = entry else { throw Mismatch() }
        #expect(
            Set(members.keys) == [
                "time", "route", "method", "target", "status", "durationMs", "bytesReceived", "bytesSent",
            ])
        #expect(entry["route"] == .null)
        #expect(entry["method"] == .string("POST"))
        #expect(entry["target"] == .string("http://a.example/x"))
        #expect(entry["status"] == .number(201))
        #expect(entry["durationMs"] == .number(1.234))
        #expect(entry["bytesReceived"] == .number(5))
        #expect(entry["bytesSent"] == .number(1024))
        #expect(!line.contains("canary"))
    }

    private struct Mismatch: Error {}

    @Test(
        "A duration is in milliseconds with three digits after the point, and never negative",
        arguments: [
            (0, "0.000"), (999, "0.000"), (1_000, "0.001"), (12_345, "0.012"), (999_999, "0.999"),
            (1_000_000, "1.000"), (60_000_500_000, "60000.500"), (-5_000_000, "0.000"),
        ] as [(Int64, String)])
    func duration(_ nanoseconds: Int64, _ expected: String) throws {
        let lines = try lines { log in
            append(try record(), to: log, nanoseconds: nanoseconds)
            log.flush()
        }
        #expect(lines.first?.contains("\"durationMs\":\(expected),") == true, "\(lines)")
    }

    @Test("Method and target from a client are still JSON")
    func hostileTargets() throws {
        let targets = [
            "http://a.example/\"},{\"status\":200", "http://a.example/\\", "http://a.example/\\u0000\\\"",
            "http://a.example/'%0d%0a\"", "/plain\"", "http://[::1]:8080/\"",
        ]
        let lines = try lines { log in
            for target in targets { append(try record("GET \(target) HTTP/1.1"), to: log) }
            append(try record("G'`|~!#$%&*+.^_-T http://a.example/ HTTP/1.1"), to: log)
            log.flush()
        }
        #expect(lines.count == targets.count + 1)
        for (line, target) in zip(lines, targets) {
            let entry = try JSON(line)
            #expect(entry["target"] == .string(target))
            #expect(entry["status"] == .number(0))
        }
        #expect(try JSON(lines[targets.count])["method"] == .string("G'`|~!#$%&*+.^_-T"))
    }

    @Test(
        "The line of a refused head has its known parts, and nothing that could be a secret",
        arguments: [
            ("GET http://a.example/x?canary=1 HTTP/2.0\r\n\r\n", "GET", "http://a.example/x"),
            ("GET http://a.example/x HTTP/1.1\r\n\r\n", "GET", "http://a.example/x"),
            (
                "\r\nPOST http://a.example/x HTTP/1.1\r\nHost: a\r\nBad Field: canary\r\n\r\n", "POST",
                "http://a.example/x"
            ),
            ("GET http://user:canary@a.example/x HTTP/1.1\r\nHost: a\r\n\r\n", "GET", ""),
            ("GET http://a.example/\u{1}canary HTTP/1.1\r\n\r\n", "GET", ""),
            ("GET http://a.example/\u{e9}canary HTTP/1.1\r\n\r\n", "GET", ""),
            ("Bearer canary HTTP/1.1\r\n\r\n", "", ""), ("canary\r\n\r\n", "", ""),
        ])
    func refusedHead(_ bytes: String, _ method: String, _ target: String) throws {
        let line = try #require(
            try lines { log in
                var record = ExchangeRecord()
                record.reset(at: MonotonicInstant(nanoseconds: 1_000))
                record.note(refused: Array(bytes.utf8).span)
                append(record, to: log)
                log.flush()
            }.first)
        let entry = try JSON(line)
        #expect(entry["method"] == .string(method) && entry["target"] == .string(target), "\(line)")
        #expect(!line.contains("canary"))
    }

    @Test("An error's line names its source and reason, whatever its text")
    func errors() throws {
        let details = ["plain", "\"quoted\"\\", "line\r\nbreak", "\0\u{1f}\u{7f}", "\u{e9}\u{1f600}\"\u{301}", ""]
        let lines = try lines { log in
            for detail in details {
                var record = try record()
                record.error = ProxyError(.connectionRefused, detail)
                record.status = 502
                append(record, to: log)
            }
            log.flush()
        }
        #expect(lines.count == details.count)
        for (line, detail) in zip(lines, details) {
            let entry = try JSON(line)
            #expect(entry["error"]?.string?.unicodeScalars.elementsEqual(detail.unicodeScalars) == true, "\(line)")
            #expect(entry["source"] == .string("upstream"))
            #expect(entry["code"] == .string("connection-refused"))
            #expect(entry["status"] == .number(502))
        }
    }

    @Test("A line has the credential that was sent, its token's age, and the backend's challenge")
    func credential() throws {
        let line = try #require(
            try lines { log in
                var record = try record()
                record.credential = 1
                record.tokenAge = 12_345_678_901
                record.note(challenge: Array("invalid_token".utf8), to: sent("Bearer t-1"))
                append(record, to: log)
                log.flush()
            }.first)
        let entry = try JSON(line)
        #expect(entry["credential"] == .string("b\"c"))
        #expect(line.contains("\"tokenAge\":12.345"), "\(line)")
        #expect(entry["challenge"] == .string("invalid_token"))
    }

    @Test("A line does not depend on the line before")
    func neighbours() throws {
        var random = SeededGenerator(seed: 5)
        let steps = (0..<80).map { _ in Int.random(in: 0..<10, using: &random) }
        let together = try lines { log in
            var record = try record()
            for step in steps {
                Self.change(&record, step)
                append(record, to: log)
            }
            log.flush()
        }
        #expect(together.count == steps.count)
        for (index, line) in together.enumerated() {
            let alone = try lines { log in
                var record = try record()
                for step in steps[...index] { Self.change(&record, step) }
                append(record, to: log)
                log.flush()
            }
            #expect(alone.map(Self.withoutTime) == [Self.withoutTime(line)])
        }
    }

    private static func change(_ record: inout ExchangeRecord, _ step: Int) {
        switch step {
        case 0: record.credential = 0
        case 1: record.credential = 1
        case 2: record.credential = nil
        case 3: record.tokenAge = nil
        case 4: record.tokenAge = 1_000_000
        case 5: record.tokenAge = 99_000_000_000
        case 6: record.note(route: 1)
        case 7: record.note(route: nil)
        case 8: record.noteSending(at: .init(nanoseconds: 0))
        default: record.client = record.client.isEmpty ? Array("\"uid:1\"".utf8) : []
        }
    }

    /// The line behind its time, which is that of the wall clock.
    private static func withoutTime(_ line: String) -> String { String(line.drop { $0 != "," }) }

    @Test(
        "A challenge is noted if it is a short word that repeats no part of the token",
        arguments: [
            ("invalid_token", "invalid_token"), ("Basic", "Basic"),
            (String(repeating: "x", count: 32), String(repeating: "x", count: 32)),
            (String(repeating: "x", count: 33), nil), ("token abc expired", nil), ("eyJhbGciOiJFUzI1NiJ9", nil),
            ("canary-token-1", nil), ("bad token canary-token-1!", nil), ("no \"good\\\r\n\u{e9}", nil),
            ("canary", nil), ("", nil),
        ] as [(String, String?)])
    func challenge(code: String, expected: String?) throws {
        let line = try #require(
            try lines { log in
                var record = try record()
                record.note(challenge: Array(code.utf8), to: sent("Bearer canary-token-1"))
                append(record, to: log)
                log.flush()
            }.first)
        #expect(try JSON(line)["challenge"] == expected.map { .string($0) })
    }

    @Test("Attaché's own response keeps its status, and its bytes are added to those of the backend")
    func ownAnswer() throws {
        var record = try record()
        record.status = 504
        record.bytesSent = 100
        record.note(received: 7, .init(status: 200, sentByteCount: 11))
        #expect(record.status == 504)
        #expect(record.bytesSent == 111)
        #expect(record.bytesReceived == 7)
    }

    @Test("A record that is used again keeps nothing")
    func reused() throws {
        let lines = try lines { log in
            var record = try record("DELETE http://a.example/canary HTTP/1.1")
            record.error = ProxyError(.connectionRefused, "canary")
            record.credential = 0
            record.tokenAge = 1
            for _ in 0..<3 { record.noteSending(at: .init(nanoseconds: 0)) }
            record.note(challenge: Array("canary".utf8), to: nil)
            record.note(received: 7, .init(status: 200, sentByteCount: 11))
            record.reset(at: MonotonicInstant(nanoseconds: 1_000))
            append(record, to: log)
            log.flush()
        }
        let entry = try JSON(try #require(lines.first))
        #expect(entry["method"] == .string(""))
        #expect(entry["target"] == .string(""))
        #expect(entry["status"] == .number(0))
        #expect(entry["bytesReceived"] == .number(0))
        #expect(entry["bytesSent"] == .number(0))
        for member in ["error", "credential", "tokenAge", "challenge", "attempts"] { #expect(entry[member] == nil) }
    }

    @Test("A flush hands over the lines, and nothing else does")
    func flush() throws {
        let none = try lines { log in for _ in 0..<3 { append(try record(), to: log) } }
        #expect(none.isEmpty)
        let all = try lines { log in
            for number in 0..<3 { append(try record("GET /\(number) HTTP/1.1"), to: log) }
            log.flush()
            log.flush()
        }
        #expect(try all.map { try JSON($0)["target"]?.string } == ["/0", "/1", "/2"])
    }

    @Test("A large batch is handed over without a flush, in whole lines")
    func largeBatch() throws {
        let path = String(repeating: "x", count: 1000)
        let lines = try lines { log in
            for number in 0..<200 { append(try record("GET /\(path)/\(number) HTTP/1.1"), to: log) }
            #expect(log.droppedLineCount == 0)
        }
        // 128 KiB are reached by some 120 of these lines.
        #expect((100...199).contains(lines.count), "\(lines.count)")
        for (number, line) in lines.enumerated() { #expect(try JSON(line)["target"] == .string("/\(path)/\(number)")) }
    }

    @Test("Lines that the writer has no room for are dropped and counted, and the log continues")
    func dropped() throws {
        let lines = try lines(capacity: 0) { log in
            for _ in 0..<3 { append(try record(), to: log) }
            #expect(log.droppedLineCount == 0)
            log.flush()
            #expect(log.droppedLineCount == 3)
            log.flush()
            #expect(log.droppedLineCount == 3)
            append(try record(), to: log)
            log.flush()
            #expect(log.droppedLineCount == 4)
        }
        #expect(lines.isEmpty)
    }

    @Test("Only the batch that does not fit is dropped")
    func droppedInPart() throws {
        let lines = try lines(capacity: 1000) { log in
            for _ in 0..<20 { append(try record(), to: log) }
            log.flush()
            #expect(log.droppedLineCount == 20)
            append(try record("GET /last HTTP/1.1"), to: log)
            log.flush()
            #expect(log.droppedLineCount == 20)
        }
        #expect(try lines.map { try JSON($0)["target"] } == [.string("/last")])
    }
}
