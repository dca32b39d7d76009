import EventTransport
import HTTPWire
package import Logging
package import ProxyConfiguration
import ProxyCore

/// The log on standard error: one line of JSON for each event of the process.
///
/// It reports starts, ends and failures of credentials; requests have the access log. A line that standard error does
/// not take at once is dropped, so that no request waits for the reader of the log.
package struct ControlLog: LogHandler {
    package var metadata: Logger.Metadata = [:]
    package var logLevel: Logger.Level

    package init(_ level: LogLevel = .info) {
        logLevel =
            switch level {
            case .debug: .debug
            case .info: .info
            case .notice: .notice
            case .warning: .warning
            case .error: .error
            }
    }

    package subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    package func log(event: LogEvent) {
        StandardStream.error.offer(line(for: event))
    }

    func line(for event: LogEvent) -> [UInt8] {
        var clock = TimestampClock()
        var line = "{\"time\":\"\(clock.text)\",\"level\":\"\(event.level.rawValue)\",\"message\":"
        line += JSONText.quoted("\(event.message)")
        let all = metadata.merging(event.metadata ?? [:]) { $1 }
        for (key, value) in all.sorted(by: { $0.key < $1.key }) {
            line += ",\(JSONText.quoted(key)):\(Self.json(value))"
        }
        return Array("\(line)}\n".utf8)
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
}
