import EventTransport
import HTTPWire
package import Logging
package import ProxyConfiguration
import ProxyCore

/// The log on standard error: one line for each event of the process, as JSON or as text.
///
/// It reports starts, ends and failures of credentials; requests have the access log. A line that standard error does
/// not take at once is dropped, so that no request waits for the reader of the log.
package struct ControlLog: LogHandler {
    package var metadata: Logger.Metadata = [:]
    private let threshold: LogThreshold
    private let format: LogFormat

    /// - Parameters:
    ///   - threshold: The level, which may change at any time.
    ///   - format: How a line is written.
    package init(_ threshold: LogThreshold = LogThreshold(), as format: LogFormat = .json) {
        self.threshold = threshold
        self.format = format
    }

    /// The level; a change holds for all loggers with the same threshold.
    package var logLevel: Logger.Level {
        get {
            switch threshold.level {
            case .debug: .debug
            case .info: .info
            case .notice: .notice
            case .warning: .warning
            case .error: .error
            }
        }
        set {
            threshold.level =
                switch newValue {
                case .trace, .debug: .debug
                case .info: .info
                case .notice: .notice
                case .warning: .warning
                case .error, .critical: .error
                }
        }
    }

    package subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    package func log(event: LogEvent) {
        let stream = PromptStream.error
        stream.offer(line(for: event, limit: stream.lineLimit))
    }

    /// - Parameters:
    ///   - event: The event.
    ///   - limit: The size of the line in bytes. A line above it has shortened values and the fact `shortened`.
    /// - Returns: The line with its end.
    func line(for event: LogEvent, limit: Int? = nil) -> [UInt8] {
        let facts = metadata.merging(event.metadata ?? [:]) { $1 }
        let whole = line(event.level, "\(event.message)", facts)
        guard let limit, whole.count > limit else { return whole }
        for valueLimit in ValueLimit.all {
            var shorter = facts.mapValues { valueLimit.shortened($0) }
            shorter[Self.shortenedKey] = "true"
            let line = line(event.level, valueLimit.shortened("\(event.message)"), shorter)
            if line.count <= limit { return line }
        }
        return line(event.level, ValueLimit(bytes: 512).shortened("\(event.message)"), [Self.shortenedKey: "true"])
    }

    private static let shortenedKey = "shortened"

    private func line(_ level: Logger.Level, _ message: String, _ facts: Logger.Metadata) -> [UInt8] {
        var clock = TimestampClock()
        let facts = facts.sorted { $0.key < $1.key }
        var line: String
        switch format {
        case .json:
            line = "{\"time\":\"\(clock.text)\",\"level\":\"\(level.rawValue)\",\"message\":"
            line += JSONText.quoted(message)
            for (key, value) in facts { line += ",\(JSONText.quoted(key)):\(Self.json(value))" }
            line += "}\n"
        case .text:
            line = "\(clock.text) \(level.rawValue): \(JSONText.escaped(message[...]))"
            for (key, value) in facts { line += " \(Self.word(key))=\(Self.text(value))" }
            line += "\n"
        }
        return Array(line.utf8)
    }

    private static func json(_ value: Logger.Metadata.Value) -> String {
        switch value {
        case .string(let text): JSONText.quoted(text)
        case .stringConvertible(let number as any BinaryInteger): "\(number)"
        case .stringConvertible(let convertible): JSONText.quoted("\(convertible)")
        case .array(let values): "[" + values.map(json).joined(separator: ",") + "]"
        case .dictionary(let values):
            "{"
                + values.sorted { $0.key < $1.key }.map { "\(JSONText.quoted($0.key)):\(json($0.value))" }
                .joined(separator: ",") + "}"
        }
    }

    /// A value of a line of text: a word as it is, and everything else as in JSON.
    private static func text(_ value: Logger.Metadata.Value) -> String {
        switch value {
        case .string(let text): word(text)
        case .stringConvertible(let convertible): word("\(convertible)")
        case .array, .dictionary: json(value)
        }
    }

    private static func word(_ text: String) -> String {
        let isWord = text.utf8.allSatisfy { byte in
            (0x21...0x7e).contains(byte) && ![UInt8(ascii: "\""), UInt8(ascii: "="), UInt8(ascii: "\\")].contains(byte)
        }
        return isWord && !text.isEmpty ? text : JSONText.quoted(text)
    }
}
