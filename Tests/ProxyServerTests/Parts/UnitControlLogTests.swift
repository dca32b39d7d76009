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
}
