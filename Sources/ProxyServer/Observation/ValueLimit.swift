import Logging

/// The size of a value in a line of the log that its destination would otherwise cut.
struct ValueLimit {
    /// The size in bytes of UTF-8, before the value is quoted.
    let bytes: Int

    /// The limits to try, one after the other, until the line is short enough.
    static let all = [2048, 1024, 512, 256, 128, 64, 32].map { ValueLimit(bytes: $0) }

    /// The beginning of a text, with an ellipsis in place of the rest.
    func shortened(_ text: String) -> String {
        guard text.utf8.count > bytes else { return text }
        var kept = String.UnicodeScalarView()
        var size = 0
        for scalar in text.unicodeScalars {
            size += UTF8.width(scalar)
            guard size <= bytes else { break }
            kept.append(scalar)
        }
        return "\(String(kept))…"
    }

    /// The value with shortened texts, and with the number of further elements in place of those beyond the limit.
    func shortened(_ value: Logger.Metadata.Value) -> Logger.Metadata.Value {
        switch value {
        case .string(let text): return .string(shortened(text))
        case .stringConvertible(let convertible):
            return convertible is any BinaryInteger ? value : .string(shortened("\(convertible)"))
        case .array(let values):
            let kept = prefix(of: values)
            let rest = values.count - kept.count
            return .array(rest == 0 ? kept : kept + [.string(Self.further(rest))])
        case .dictionary(let values):
            let entries = values.sorted { $0.key < $1.key }
            let kept = prefix(of: entries.map(\.value))
            var shorter = Dictionary(uniqueKeysWithValues: zip(entries.map(\.key), kept))
            let rest = values.count - kept.count
            if rest > 0 { shorter["…"] = .string(Self.further(rest)) }
            return .dictionary(shorter)
        }
    }

    private func prefix(of values: [Logger.Metadata.Value]) -> [Logger.Metadata.Value] {
        var kept: [Logger.Metadata.Value] = []
        var size = 0
        for value in values {
            let shorter = shortened(value)
            size += "\(shorter)".utf8.count
            guard size <= bytes else { break }
            kept.append(shorter)
        }
        return kept
    }

    private static func further(_ count: Int) -> String { "… \(count) more" }
}
