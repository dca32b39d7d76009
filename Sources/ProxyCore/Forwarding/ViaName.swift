package import HTTPWire

/// The name by which one process calls itself in the `Via` of the requests that it forwards (RFC 9110 section 7.6.3).
///
/// Each process has another name, so a request that carries it has come back.
package final class ViaName: Sendable {
    /// The name, for messages.
    package let text: String
    private let name: [UInt8]
    /// The field's lines by the version of the request.
    package let line11: [UInt8]
    let line10: [UInt8]

    package init(_ text: String = "attache") {
        self.text = text
        name = Array(text.utf8)
        line11 = Array("Via: 1.1 \(text)\r\n".utf8)
        line10 = Array("Via: 1.0 \(text)\r\n".utf8)
    }

    /// The lines `Via` that a request carries.
    package static func lines(of head: borrowing RequestHead, in bytes: Span<UInt8>) -> [UInt8] {
        var lines: [UInt8] = []
        for index in 0..<head.fields.count where head.fields[index].known == .via {
            lines += "Via: ".utf8
            lines.append(copying: bytes, head.fields[index].value)
            lines += "\r\n".utf8
        }
        return lines
    }

    /// Whether a request has been forwarded by this process before.
    package func isNamed(by head: borrowing RequestHead, in bytes: Span<UInt8>) -> Bool {
        for index in 0..<head.fields.count {
            let field = head.fields[index]
            if field.known == .via, isNamed(in: field.value, of: bytes) { return true }
        }
        return false
    }

    /// Whether a value of `Via` has the name as a whole word; what separates words is no part of a name.
    @inline(never)
    func isNamed(in value: ByteRange, of bytes: Span<UInt8>) -> Bool {
        var start = value.lowerBound
        while start + name.count <= value.upperBound {
            var end = start
            while end < value.upperBound, Self.isNameByte(bytes[end]) { end += 1 }
            if end - start == name.count, ASCII.equalsIgnoringCase(bytes, ByteRange(start, end), text) { return true }
            start = end + 1
        }
        return false
    }

    private static func isNameByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"):
            true
        default: false
        }
    }
}
