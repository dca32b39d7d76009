/// A request as a test's server saw it.
package struct ReceivedRequest: Sendable {
    /// Which connection of the server it came on, from 0.
    package let connection: Int
    /// The bytes of the head, as text, with the empty line that ends it.
    package let head: String
    package let method: String
    package let target: String
    package let version: String
    package let fields: ReceivedFields
    /// The content, with chunked coding removed.
    package var body: [UInt8] = []

    package init(head bytes: [UInt8], connection: Int) {
        self.connection = connection
        head = String(decoding: bytes, as: UTF8.self)
        let lines = head.headLines
        let words = lines.first?.split(separator: " ", omittingEmptySubsequences: false).map(String.init) ?? []
        method = words.first ?? ""
        target = words.count > 1 ? words[1] : ""
        version = words.count > 2 ? words[2] : ""
        fields = ReceivedFields(lines: Array(lines.dropFirst()))
    }

    package var text: String { String(decoding: body, as: UTF8.self) }

    package var framing: ReceivedFraming {
        if fields["Transfer-Encoding"] != nil { return .chunked }
        return fields["Content-Length"].flatMap(Int.init).map(ReceivedFraming.length) ?? .none
    }
}

extension String {
    /// The lines of a head without their ends and without the empty line.
    var headLines: [String] {
        var lines: [String] = []
        var line: [UInt8] = []
        for byte in utf8 {
            switch byte {
            case UInt8(ascii: "\n"):
                if line.last == UInt8(ascii: "\r") { line.removeLast() }
                if !line.isEmpty { lines.append(String(decoding: line, as: UTF8.self)) }
                line = []
            default: line.append(byte)
            }
        }
        return lines
    }
}
