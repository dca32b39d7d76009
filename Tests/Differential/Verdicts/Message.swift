import HTTPWire
import Vectors

/// One message that parsers are compared on.
struct Message: CustomStringConvertible {
    private let name: String
    private let kind: VectorCase.Kind
    private let bytes: [UInt8]

    private static let kinds: [(name: String, kind: VectorCase.Kind)] = [
        ("request", .request), ("response-GET", .response(to: .get)), ("response-HEAD", .response(to: .head)),
        ("response-POST", .response(to: .post)), ("response-CONNECT", .response(to: .connect)),
    ]

    init?(_ line: String) {
        let words = line.split(separator: " ")
        guard words.count == 2, let (name, kind) = Self.kinds.first(where: { $0.name == words[0] }) else { return nil }
        let digits = Array(words[1].utf8)
        guard digits.count.isMultiple(of: 2) else { return nil }
        var bytes: [UInt8] = []
        for index in stride(from: 0, to: digits.count, by: 2) {
            guard let byte = UInt8(String(decoding: digits[index...index + 1], as: UTF8.self), radix: 16) else {
                return nil
            }
            bytes.append(byte)
        }
        self.init(name: name, kind: kind, bytes: bytes)
    }

    private init(name: String, kind: VectorCase.Kind, bytes: [UInt8]) {
        self.name = name
        self.kind = kind
        self.bytes = bytes
    }

    /// What of a vector other parsers can judge; a body alone becomes that of a request and of a response.
    static func all(of vector: VectorCase) -> [Message] {
        guard !vector.input.isEmpty else { return [] }
        switch vector.kind {
        case .body(.chunked):
            let fields = "\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"
            return [
                Message(
                    name: "request", kind: .request, bytes: Array("POST / HTTP/1.1\(fields)".utf8) + vector.input),
                Message(
                    name: "response-GET", kind: .response(to: .get),
                    bytes: Array("HTTP/1.1 200 OK\(fields)".utf8) + vector.input),
            ]
        case .forward: return [Message(name: "request", kind: .request, bytes: vector.input)]
        case .answer(let method), .reuse(let method):
            return kinds.filter { $0.kind == .response(to: method) }.map { name, kind in
                Message(name: name, kind: kind, bytes: vector.input)
            }
        default:
            return kinds.filter { $0.kind == vector.kind }.map { name, kind in
                Message(name: name, kind: kind, bytes: vector.input)
            }
        }
    }

    var description: String { "\(name) \(Self.hexadecimal(bytes))" }

    /// What our parser makes of it.
    var verdict: String {
        var reading = MessageReading(kind)
        reading.receive(bytes)
        reading.peerClosed()
        switch reading.verdict {
        case .accepted: return "accepted \(parts(reading)) \(reading.byteCount)"
        case .refused(_, let reason): return "refused \(reason)"
        default: return reading.head.isEmpty ? "incomplete" : "partial \(parts(reading)) -"
        }
    }

    private func parts(_ reading: MessageReading) -> String {
        let value = { (name: String) in reading.head.first { $0.name == name }?.value ?? [] }
        let fields = reading.head.filter { $0.name == "field" }.map { Self.hexadecimal($0.value) }
        let start = kind == .request ? value("method") : value("status")
        return [
            Self.hexadecimal(start), Self.hexadecimal(kind == .request ? target : value("reason")),
            String(decoding: value("version"), as: UTF8.self), fields.isEmpty ? "-" : fields.joined(separator: ","),
            Self.hexadecimal(reading.content),
        ].joined(separator: " ")
    }

    private var target: [UInt8] {
        guard let head = try? RequestHead.parse(bytes.span, limits: HeadLimits()) else { return [] }
        return Array(bytes[head.targetText.lowerBound..<head.targetText.upperBound])
    }

    private static func hexadecimal(_ bytes: [UInt8]) -> String {
        bytes.isEmpty ? "-" : bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }
}
