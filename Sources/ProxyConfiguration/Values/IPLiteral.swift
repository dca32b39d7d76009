/// An IP address written out, in one spelling for each address, so that equal addresses are equal texts.
enum IPLiteral: Equatable {
    case v4([UInt8])
    /// Eight groups.
    case v6([UInt16])

    /// Nil for everything that is not four decimal numbers or an IPv6 address without brackets and zone.
    init?(_ text: some StringProtocol) {
        if text.utf8.contains(UInt8(ascii: ":")) {
            guard let groups = Self.groups(of: text) else { return nil }
            self = .v6(groups)
        } else {
            guard let bytes = Self.bytes(of: text) else { return nil }
            self = .v4(bytes)
        }
    }

    var isLoopback: Bool {
        switch self {
        case .v4(let bytes): bytes[0] == 127
        case .v6(let groups): groups == [0, 0, 0, 0, 0, 0, 0, 1]
        }
    }

    /// RFC 5952: lower case, no leading zeros, the longest run of zeros as `::`.
    var text: String {
        switch self {
        case .v4(let bytes): bytes.map { String($0) }.joined(separator: ".")
        case .v6(let groups): Self.text(of: groups)
        }
    }

    private static func bytes(of text: some StringProtocol) -> [UInt8]? {
        let parts = text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard parts.count == 4 else { return nil }
        var bytes: [UInt8] = []
        for part in parts {
            let isDecimal = part.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
            // A leading zero means octal to some programs and decimal to others.
            guard isDecimal, part.count == 1 || part.first != UInt8(ascii: "0"),
                let byte = UInt8(String(decoding: part, as: UTF8.self))
            else { return nil }
            bytes.append(byte)
        }
        return bytes
    }

    private static func groups(of text: some StringProtocol) -> [UInt16]? {
        let bytes = Array(text.utf8)
        let colon = UInt8(ascii: ":")
        let gap = bytes.indices.dropLast().first { bytes[$0] == colon && bytes[$0 + 1] == colon }
        guard let gap else {
            return groups(of: bytes[...], mayEndInV4: true).flatMap { $0.count == 8 ? $0 : nil }
        }
        guard let head = groups(of: bytes[..<gap], mayEndInV4: false),
            let tail = groups(of: bytes[(gap + 2)...], mayEndInV4: true), head.count + tail.count < 8
        else { return nil }
        return head + Array(repeating: 0, count: 8 - head.count - tail.count) + tail
    }

    private static func groups(of bytes: ArraySlice<UInt8>, mayEndInV4: Bool) -> [UInt16]? {
        if bytes.isEmpty { return [] }
        var parts = bytes.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
        var tail: [UInt16] = []
        if mayEndInV4, let last = parts.last, last.contains(UInt8(ascii: ".")) {
            guard let v4 = Self.bytes(of: String(decoding: last, as: UTF8.self)) else { return nil }
            tail = [UInt16(v4[0]) << 8 | UInt16(v4[1]), UInt16(v4[2]) << 8 | UInt16(v4[3])]
            parts.removeLast()
        }
        var groups: [UInt16] = []
        for part in parts {
            let text = String(decoding: part, as: UTF8.self)
            // A sign would pass the conversion.
            guard (1...4).contains(part.count), text.first?.isHexDigit == true, let group = UInt16(text, radix: 16)
            else { return nil }
            groups.append(group)
        }
        return groups + tail
    }

    private static func text(of groups: [UInt16]) -> String {
        var longest = 0..<0
        var index = 0
        while index < groups.count {
            let end = groups[index...].firstIndex { $0 != 0 } ?? groups.count
            // A single zero is not shortened (RFC 5952 section 4.2.2).
            if end - index > max(longest.count, 1) { longest = index..<end }
            index = max(end, index + 1)
        }
        let words = groups.map { String($0, radix: 16) }
        guard !longest.isEmpty else { return words.joined(separator: ":") }
        return words[..<longest.lowerBound].joined(separator: ":") + "::"
            + words[longest.upperBound...].joined(separator: ":")
    }
}
