import Logging
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
