import EventTransport
package import Logging

/// What happens to the process itself, one line of JSON an event, on standard error.
///
/// It writes before it returns, so it is for starts, ends and failures of credentials; requests have the access log.
package struct ControlLog: LogHandler {
    package var metadata: Logger.Metadata = [:]
    package var logLevel: Logger.Level = .info

    package init() {}

    package subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    package func log(event: LogEvent) {
        StandardStream.error.write(line(for: event))
    }

    func line(for event: LogEvent) -> [UInt8] {
        var clock = TimestampClock()
        var line = Array("{\"time\":\"".utf8)
        clock.append(to: &line)
        line += Array("\",\"level\":\"\(event.level.rawValue)\",\"message\":".utf8)
        Self.append("\(event.message)", to: &line)
        let all = metadata.merging(event.metadata ?? [:]) { $1 }
        for (key, value) in all.sorted(by: { $0.key < $1.key }) {
            line.append(UInt8(ascii: ","))
            Self.append(key, to: &line)
            line.append(UInt8(ascii: ":"))
            Self.append(value, to: &line)
        }
        return line + Array("}\n".utf8)
    }

    private static func append(_ value: Logger.Metadata.Value, to line: inout [UInt8]) {
        switch value {
        case .string(let text): append(text, to: &line)
        case .stringConvertible(let convertible): append("\(convertible)", to: &line)
        case .array(let values):
            line.append(UInt8(ascii: "["))
            for (index, value) in values.enumerated() {
                if index > 0 { line.append(UInt8(ascii: ",")) }
                append(value, to: &line)
            }
            line.append(UInt8(ascii: "]"))
        case .dictionary(let values):
            line.append(UInt8(ascii: "{"))
            for (index, entry) in values.sorted(by: { $0.key < $1.key }).enumerated() {
                if index > 0 { line.append(UInt8(ascii: ",")) }
                append(entry.key, to: &line)
                line.append(UInt8(ascii: ":"))
                append(entry.value, to: &line)
            }
            line.append(UInt8(ascii: "}"))
        }
    }

    /// RFC 8259 section 7.
    private static func append(_ text: String, to line: inout [UInt8]) {
        line.append(UInt8(ascii: "\""))
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"): line += [UInt8(ascii: "\\"), byte]
            case 0..<0x20:
                let digits = Array("0123456789abcdef".utf8)
                line += Array("\\u00".utf8) + [digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            default: line.append(byte)
            }
        }
        line.append(UInt8(ascii: "\""))
    }
}
