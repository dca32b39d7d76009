package import HTTPWire

/// The other systems' entries of a trace: the values of `tracestate` (W3C Trace Context, section 3.3), passed on unread.
package struct TraceState: Equatable, Sendable {
    /// The value of one field; empty without an entry.
    package private(set) var bytes: [UInt8] = []

    private static let mostMembers = 32

    package init() {}

    /// Joins the lines of a request; empty if one of them is invalid, or if they are too many.
    package init(of fields: FieldLines, in bytes: Span<UInt8>) {
        var count = 0
        for index in 0..<fields.count where TraceFields.isNamed(fields[index], TraceFields.stateName, in: bytes) {
            let value = fields[index].value
            var start = value.lowerBound
            while start <= value.upperBound {
                var end = start
                while end < value.upperBound, bytes[end] != UInt8(ascii: ",") { end += 1 }
                let member = ASCII.trimmingWhitespace(bytes, ByteRange(start, end))
                if !member.isEmpty {
                    count += 1
                    guard count <= Self.mostMembers, Self.isMember(bytes, member) else {
                        self.bytes = []
                        return
                    }
                    if !self.bytes.isEmpty { self.bytes.append(UInt8(ascii: ",")) }
                    self.bytes.append(copying: bytes, member)
                }
                start = end + 1
            }
        }
    }

    /// Whether the bytes are `key=value`.
    private static func isMember(_ bytes: Span<UInt8>, _ member: ByteRange) -> Bool {
        var sign = member.lowerBound
        while sign < member.upperBound, bytes[sign] != UInt8(ascii: "=") { sign += 1 }
        guard sign < member.upperBound, (1...256).contains(sign - member.lowerBound),
            (1...256).contains(member.upperBound - sign - 1)
        else { return false }
        let first = bytes[member.lowerBound]
        guard isLetter(first) || isDigit(first) else { return false }
        for index in member.lowerBound..<sign where !isOfKey(bytes[index]) { return false }
        for index in (sign + 1)..<member.upperBound {
            guard (0x20...0x7e).contains(bytes[index]), bytes[index] != UInt8(ascii: "=") else { return false }
        }
        return true
    }

    private static func isOfKey(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "_"), UInt8(ascii: "-"), UInt8(ascii: "*"), UInt8(ascii: "/"), UInt8(ascii: "@"): true
        default: isLetter(byte) || isDigit(byte)
        }
    }

    private static func isLetter(_ byte: UInt8) -> Bool { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte) }

    private static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }
}
