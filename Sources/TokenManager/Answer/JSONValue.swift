import FoundationEssentials
import HTTPWire

/// Any JSON value, kept for a person to read.
indirect enum JSONValue: Decodable, Equatable {
    case null
    case boolean(Bool)
    case number(Double)
    case string(String)
    case array([JSONValue])
    case object([String: JSONValue])

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if container.decodeNil() {
            self = .null
        } else if let boolean = try? container.decode(Bool.self) {
            self = .boolean(boolean)
        } else if let number = try? container.decode(Double.self) {
            self = .number(number)
        } else if let string = try? container.decode(String.self) {
            self = .string(string)
        } else if let array = try? container.decode([JSONValue].self) {
            self = .array(array)
        } else {
            self = .object(try container.decode([String: JSONValue].self))
        }
    }

    /// The value as JSON on one line, names in order; control characters are escaped.
    var text: String {
        switch self {
        case .null: "null"
        case .boolean(let boolean): "\(boolean)"
        case .number(let number): Int(exactly: number).map { "\($0)" } ?? "\(number)"
        case .string(let string): JSONText.quoted(string)
        case .array(let values): "[\(values.map(\.text).joined(separator: ", "))]"
        case .object(let members):
            "{\(members.sorted { $0.key < $1.key }.map(Self.member).joined(separator: ", "))}"
        }
    }

    private static func member(_ name: String, _ value: JSONValue) -> String {
        "\(JSONText.quoted(name)): \(value.text)"
    }
}

/// The depth of arrays and objects in UTF-8 JSON, found before it is decoded.
///
/// Whether the bytes are JSON at all is for the decoder to say.
enum JSONDepth {
    /// Whether there are more levels than `most`.
    static func exceeds(_ most: Int, in bytes: some Sequence<UInt8>) -> Bool {
        var depth = 0
        var isQuoted = false
        var isEscaped = false
        for byte in bytes {
            if isQuoted {
                isQuoted = isEscaped || byte != UInt8(ascii: "\"")
                isEscaped = !isEscaped && byte == UInt8(ascii: "\\")
                continue
            }
            switch byte {
            case UInt8(ascii: "\""): isQuoted = true
            case UInt8(ascii: "{"), UInt8(ascii: "["):
                depth += 1
                if depth > most { return true }
            case UInt8(ascii: "}"), UInt8(ascii: "]"): depth -= 1
            default: break
            }
        }
        return false
    }
}

/// Finds what makes JSON mean different things to different readers.
///
/// That is an encoding other than UTF-8 (RFC 8259 section 8.1), or two members of the outermost object with the same
/// name (section 4). Whether the bytes are JSON at all is for the decoder to say.
struct JSONMembers {
    private let bytes: [UInt8]
    private var position = 0
    private var depth = 0
    private var names: Set<String> = []

    /// What is wrong, as a part of a sentence; nil if nothing is.
    static func problem(in bytes: [UInt8]) -> String? {
        guard !bytes.starts(with: [0x1f, 0x8b]) else {
            return "the body is compressed with gzip, which the request did not ask for"
        }
        guard !bytes.starts(with: [0xef, 0xbb, 0xbf]) else {
            return "the body begins with a byte order mark, which JSON must not have (RFC 8259)"
        }
        guard isUTF8(bytes) else { return "the body is not JSON in UTF-8" }
        var members = JSONMembers(bytes)
        return members.hasRepeatedName() ? "the body has two members with the same name" : nil
    }

    /// Whether every decoder takes the bytes for UTF-8.
    static func isUTF8(_ bytes: [UInt8]) -> Bool {
        String(validating: bytes, as: UTF8.self) != nil && !bytes.contains(0)
            && !bytes.starts(with: [0xef, 0xbb, 0xbf])
    }

    private init(_ bytes: [UInt8]) { self.bytes = bytes }

    private mutating func hasRepeatedName() -> Bool {
        var isNameNext = false
        while position < bytes.count {
            let byte = bytes[position]
            position += 1
            switch byte {
            case UInt8(ascii: "{"), UInt8(ascii: "["):
                depth += 1
                isNameNext = depth == 1 && byte == UInt8(ascii: "{")
            case UInt8(ascii: "}"), UInt8(ascii: "]"): depth -= 1
            case UInt8(ascii: ","): isNameNext = depth == 1
            case UInt8(ascii: "\""):
                let text = string()
                guard isNameNext else { continue }
                isNameNext = false
                guard names.insert(text).inserted else { return true }
            default: break
            }
        }
        return false
    }

    /// The text of the string after its opening quote.
    private mutating func string() -> String {
        let start = position
        var isEscaped = false
        while position < bytes.count, isEscaped || bytes[position] != UInt8(ascii: "\"") {
            isEscaped = !isEscaped && bytes[position] == UInt8(ascii: "\\")
            position += 1
        }
        let content = bytes[start..<position]
        position += 1
        guard content.contains(UInt8(ascii: "\\")) else { return String(decoding: content, as: UTF8.self) }
        // Escapes can spell the same name differently.
        let quoted = Data([UInt8(ascii: "\"")] + content + [UInt8(ascii: "\"")])
        return (try? JSONDecoder().decode(String.self, from: quoted)) ?? String(decoding: content, as: UTF8.self)
    }
}
