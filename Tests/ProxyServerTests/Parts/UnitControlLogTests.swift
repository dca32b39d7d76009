import Logging
import ProxyConfiguration
import Support
import Testing

@testable import ProxyServer

@Suite struct UnitControlLogTests {
    private func line(
        _ message: Logger.Message, _ metadata: Logger.Metadata? = nil, level: Logger.Level = .info,
        of log: ControlLog = ControlLog()
    ) throws -> JSON {
        let event = LogEvent(
            level: level, message: message, metadata: metadata, source: "x", file: "f", function: "g", line: 1)
        let bytes = log.line(for: event)
        #expect(bytes.count { $0 == UInt8(ascii: "\n") } == 1 && bytes.last == UInt8(ascii: "\n"))
        return try JSON(String(decoding: bytes, as: UTF8.self))
    }

    @Test("A line has time, level and message", arguments: Logger.Level.allCases)
    func members(_ level: Logger.Level) throws {
        let entry = try line("started", level: level)
        guard case .object(let members) = entry else { return #expect(Bool(false), "\(entry)") }
        #expect(Set(members.keys) == ["time", "level", "message"])
        #expect(entry["level"] == .string(level.rawValue))
        #expect(entry["message"] == .string("started"))
    }

    @Test(
        "A text from outside stays inside its JSON string",
        arguments: ["\"", "\\", "\r\n", "\0\u{1f}\u{7f}", "\",\"level\":\"x", "\"\u{301}", "\u{2028}\u{1f600}", ""])
    func hostile(_ text: String) throws {
        let entry = try line("\(text)", ["key": "\(text)", "\(text)x": "value"])
        #expect(entry["message"] == .string(text))
        #expect(entry["key"] == .string(text))
        #expect(entry["\(text)x"] == .string("value"))
    }

    @Test("A line of text has time, level, message and facts, and stays one line whatever they hold")
    func text() throws {
        let log = ControlLog(LogThreshold(), as: .text)
        let event = LogEvent(
            level: .warning, message: "not\nfetched",
            metadata: [
                "word": "https://a.example/x", "words": "two words", "sign": "a=\"b\"\\", "line": "a\r\n\u{1b}[1m",
                "none": "",
                "number": .stringConvertible(12), "list": ["a", ["b c"]], "odd key": "x",
            ], source: "x", file: "f", function: "g", line: 1)
        let line = String(decoding: log.line(for: event), as: UTF8.self)
        let rest = try #require(line.split(separator: " ", maxSplits: 1).last)
        #expect(
            rest == #"""
                warning: not\nfetched line="a\r\n\u001b[1m" list=["a",["b c"]] none="" number=12 "odd key"=x \#
                sign="a=\"b\"\\" word=https://a.example/x words="two words"

                """#)
    }

    @Test("The level can change at any time, for all loggers with the same threshold")
    func threshold() {
        let threshold = LogThreshold(.notice)
        let first = Logger(label: "a") { _ in ControlLog(threshold) }
        let second = Logger(label: "b") { _ in ControlLog(threshold) }
        #expect(first.logLevel == .notice && second.logLevel == .notice)
        #expect(DecisionLog(first) == nil)
        threshold.level = .debug
        #expect(first.logLevel == .debug && second.logLevel == .debug)
        #expect(DecisionLog(first) != nil)
        var log = ControlLog(threshold)
        log.logLevel = .critical
        #expect(threshold.level == .error && first.logLevel == .error)
    }

    @Test("Metadata of every shape is JSON, and the event's own overrides the log's")
    func metadata() throws {
        var log = ControlLog()
        log[metadataKey: "kept"] = "log"
        log[metadataKey: "both"] = "log"
        #expect(log[metadataKey: "kept"] == "log")
        let entry = try line(
            "x",
            [
                "both": "event", "number": .stringConvertible(12), "list": ["a", ["b", "c\"d"]],
                "nested": ["x": ["y": "z\\"], "empty": [:]], "none": [],
            ], of: log)
        #expect(entry["kept"] == .string("log"))
        #expect(entry["both"] == .string("event"))
        #expect(entry["number"] == .number(12))
        #expect(entry["list"] == .array([.string("a"), .array([.string("b"), .string("c\"d")])]))
        #expect(entry["nested"]?["x"]?["y"] == .string("z\\"))
        #expect(entry["nested"]?["empty"] != nil)
        #expect(entry["none"] == .array([]))
    }

    @Test(
        "A line above the limit has shortened values, says so, and stays valid", arguments: [LogFormat.json, .text],
        [
            [
                "routes": .array(
                    (0..<80).map { "api.example.org/service-\($0)/** -> https://backend-\($0).example.org" })
            ],
            ["detail": .string(String(repeating: "a\u{1}é👩‍👩‍👧", count: 2000)), "code": "short"],
            ["nested": .dictionary(Dictionary(uniqueKeysWithValues: (0..<500).map { ("key \($0)", ["x": "y"]) }))],
            Dictionary(uniqueKeysWithValues: (0..<1000).map { ("key \($0)", "value") }),
        ] as [Logger.Metadata])
    func shortened(format: LogFormat, facts: Logger.Metadata) throws {
        let log = ControlLog(LogThreshold(), as: format)
        let event = LogEvent(
            level: .info, message: "listening", metadata: facts, source: "x", file: "f", function: "g", line: 1)
        let bytes = log.line(for: event, limit: 4096)
        let text = try #require(String(validating: bytes, as: UTF8.self))
        #expect(bytes.count <= 4096 && bytes.last == UInt8(ascii: "\n"))
        #expect(log.line(for: event).count > 4096, "without a limit, the line is whole")
        guard format == .json else { return #expect(text.contains(" shortened=true")) }
        let entry = try JSON(text)
        #expect(entry["message"] == .string("listening") && entry["shortened"] == .string("true"))
        if facts["code"] != nil {
            #expect(entry["code"] == .string("short"))
            #expect(entry["detail"]?.string?.hasSuffix("…") == true)
        }
        if case .array(let routes) = entry["routes"] {
            #expect(routes.first == .string("api.example.org/service-0/** -> https://backend-0.example.org"))
            #expect(routes.last == .string("… \(80 - (routes.count - 1)) more"))
        }
    }

    @Test("A line at the limit is whole")
    func atLimit() {
        let event = LogEvent(
            level: .info, message: "x", metadata: ["a": "\(String(repeating: "b", count: 3000))"], source: "x",
            file: "f",
            function: "g", line: 1)
        let line = ControlLog().line(for: event)
        #expect(ControlLog().line(for: event, limit: line.count).count == line.count)
        #expect(ControlLog().line(for: event, limit: line.count - 1).count < line.count)
    }
}
