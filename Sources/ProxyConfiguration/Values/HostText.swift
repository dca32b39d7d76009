import ProxyCore

/// Host names and addresses as a configuration may name them, in the one spelling that routing compares.
enum HostText {
    /// A name in lower case, or an IP address without brackets.
    static func parse(_ text: Substring) throws(ValueError) -> String {
        if text.utf8.first == UInt8(ascii: "[") {
            guard text.utf8.last == UInt8(ascii: "]"),
                let address = IPLiteral(text.dropFirst().dropLast()), case .v6 = address
            else { throw ValueError("has brackets without an IPv6 address in them; write it as in [::1]") }
            return address.text
        }
        if let address = IPLiteral(text) { return address.text }
        return try name(text)
    }

    static func parse(whole text: String) throws(ValueError) -> String { try parse(text[...]) }

    private static func name(_ text: Substring) throws(ValueError) -> String {
        guard text.utf8.allSatisfy({ $0 < 0x80 }) else {
            throw ValueError("has a host with characters outside ASCII; write its xn-- form")
        }
        let labels = text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard (1...253).contains(text.utf8.count),
            labels.allSatisfy({ (1...63).contains($0.count) && $0.allSatisfy(isNameByte) })
        else { throw ValueError("is not a host name; write one as in backend.example, without scheme, port or path") }
        // `127.1` and `0x7f000001` are addresses to some programs and names to others.
        let last = labels.last.map { String(decoding: $0, as: UTF8.self) } ?? ""
        guard !last.utf8.allSatisfy(isDigit), !last.lowercased().hasPrefix("0x") else {
            throw ValueError("is neither a host name nor an IP address; write an IPv4 address as four numbers")
        }
        return text.lowercased()
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }

    private static func isNameByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
        case UInt8(ascii: "-"), UInt8(ascii: "_"): true
        default: isDigit(byte)
        }
    }
}
