import HTTPWire

/// Walks the members of one `Proxy-Status` line: a list of tokens or strings with parameters (RFC 9209 section 2).
///
/// As strict as RFC 9651 section 4.2, and each line must be a list of its own: a string cannot begin in one line and
/// end in the next.
struct ProxyStatusMembers {
    /// The line is not such a list.
    struct Malformed: Error {}

    struct Member {
        let text: ByteRange
        /// The name of the server that speaks, without the quotes of a string.
        let identifier: ByteRange
    }

    private var index: Int
    private let end: Int

    /// Walks the members of `value`, which is trimmed already.
    init(_ value: ByteRange) {
        index = value.lowerBound
        end = value.upperBound
    }

    /// The next member; nil at the end.
    mutating func next(in bytes: Span<UInt8>) throws(Malformed) -> Member? {
        guard index < end else { return nil }
        let start = index
        let isString = bytes[index] == UInt8(ascii: "\"")
        guard isString || Self.beginsToken(bytes[index]) else { throw Malformed() }
        try skipBareItem(bytes)
        let identifier = isString ? ByteRange(start + 1, index - 1) : ByteRange(start, index)
        try skipParameters(bytes)
        let text = ByteRange(start, index)
        while index < end, bytes[index] == ASCII.space || bytes[index] == ASCII.tab { index += 1 }
        if index < end {
            guard bytes[index] == UInt8(ascii: ",") else { throw Malformed() }
            index += 1
            while index < end, bytes[index] == ASCII.space || bytes[index] == ASCII.tab { index += 1 }
            guard index < end else { throw Malformed() }
        }
        return Member(text: text, identifier: identifier)
    }

    private mutating func skipParameters(_ bytes: Span<UInt8>) throws(Malformed) {
        while index < end, bytes[index] == UInt8(ascii: ";") {
            index += 1
            while index < end, bytes[index] == ASCII.space { index += 1 }
            guard index < end, Self.beginsKey(bytes[index]) else { throw Malformed() }
            while index < end, Self.isOfKey(bytes[index]) { index += 1 }
            guard index < end, bytes[index] == UInt8(ascii: "=") else { continue }
            index += 1
            try skipBareItem(bytes)
        }
    }

    private mutating func skipBareItem(_ bytes: Span<UInt8>) throws(Malformed) {
        guard index < end else { throw Malformed() }
        let first = bytes[index]
        switch first {
        case UInt8(ascii: "\""): try skipString(bytes)
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): try skipNumber(bytes)
        case UInt8(ascii: ":"):
            index += 1
            while index < end, Self.isOfBase64(bytes[index]) { index += 1 }
            guard index < end, bytes[index] == first else { throw Malformed() }
            index += 1
        case UInt8(ascii: "?"):
            guard index + 1 < end, bytes[index + 1] | 1 == UInt8(ascii: "1") else { throw Malformed() }
            index += 2
        case UInt8(ascii: "@"):
            index += 1
            try skipNumber(bytes)
        default:
            guard Self.beginsToken(first) else { throw Malformed() }
            while index < end, Self.isOfToken(bytes[index]) { index += 1 }
        }
    }

    private mutating func skipString(_ bytes: Span<UInt8>) throws(Malformed) {
        index += 1
        while index < end {
            switch bytes[index] {
            case UInt8(ascii: "\""):
                index += 1
                return
            case UInt8(ascii: "\\"):
                guard index + 1 < end, "\"\\".utf8.contains(bytes[index + 1]) else { throw Malformed() }
                index += 2
            case 0x20...0x7E: index += 1
            default: throw Malformed()
            }
        }
        throw Malformed()
    }

    private mutating func skipNumber(_ bytes: Span<UInt8>) throws(Malformed) {
        if index < end, bytes[index] == UInt8(ascii: "-") { index += 1 }
        guard index < end, Self.isDigit(bytes[index]) else { throw Malformed() }
        while index < end, Self.isDigit(bytes[index]) { index += 1 }
        guard index < end, bytes[index] == UInt8(ascii: ".") else { return }
        index += 1
        guard index < end, Self.isDigit(bytes[index]) else { throw Malformed() }
        while index < end, Self.isDigit(bytes[index]) { index += 1 }
    }

    private static func isDigit(_ byte: UInt8) -> Bool { byte &- UInt8(ascii: "0") < 10 }

    private static func isLetter(_ byte: UInt8) -> Bool { (byte | 0x20) &- UInt8(ascii: "a") < 26 }

    private static func beginsToken(_ byte: UInt8) -> Bool { isLetter(byte) || byte == UInt8(ascii: "*") }

    private static func isOfToken(_ byte: UInt8) -> Bool {
        ASCII.isToken(byte) || byte == UInt8(ascii: ":") || byte == UInt8(ascii: "/")
    }

    private static func beginsKey(_ byte: UInt8) -> Bool {
        byte &- UInt8(ascii: "a") < 26 || byte == UInt8(ascii: "*")
    }

    private static func isOfKey(_ byte: UInt8) -> Bool { beginsKey(byte) || isDigit(byte) || "_-.".utf8.contains(byte) }

    private static func isOfBase64(_ byte: UInt8) -> Bool {
        isLetter(byte) || isDigit(byte) || "+/=".utf8.contains(byte)
    }
}

/// The `Proxy-Status` of a response to which another proxy or the backend has added one (RFC 9209).
///
/// Only Attaché itself speaks as `attache`: members of that name are dropped, the others keep their order, and
/// Attaché's own comes last. If a line of the field is not a list of members, the whole field is dropped, as every
/// reader has to ignore it (RFC 9651 section 4.2).
enum ForwardedProxyStatus {
    private static let ownIdentifier = "attache"

    /// Appends one line that replaces all of the head's.
    static func append(_ head: borrowing ResponseHead, in bytes: Span<UInt8>, to out: inout OutputBuffer) {
        out.append(text: "Proxy-Status: ")
        if isList(head, in: bytes) { appendOthers(head, in: bytes, to: &out) }
        out.append(text: "attache; received-status=")
        out.append(decimal: head.status)
        out.append(text: "\r\n")
    }

    private static func isList(_ head: borrowing ResponseHead, in bytes: Span<UInt8>) -> Bool {
        do throws(ProxyStatusMembers.Malformed) {
            for index in 0..<head.fields.count where head.fields[index].known == .proxyStatus {
                var members = ProxyStatusMembers(head.fields[index].value)
                while try members.next(in: bytes) != nil {}
            }
            return true
        } catch {
            return false
        }
    }

    private static func appendOthers(_ head: borrowing ResponseHead, in bytes: Span<UInt8>, to out: inout OutputBuffer)
    {
        for index in 0..<head.fields.count where head.fields[index].known == .proxyStatus {
            var members = ProxyStatusMembers(head.fields[index].value)
            while let member = try? members.next(in: bytes) {
                // Not every reader compares names with their case of letters.
                if ASCII.equalsIgnoringCase(bytes, member.identifier, ownIdentifier) { continue }
                out.append(copying: bytes, member.text)
                out.append(text: ", ")
            }
        }
    }
}
