import HTTPWire

/// FNV-1a over the lower-case bytes of a host, so that a host in a head is looked up without making a String.
///
/// A clash costs a comparison, never a wrong match: whoever finds an entry compares the host too.
enum HostHash {
    static func of(_ host: String) -> UInt64 {
        host.utf8.reduce(offset) { ($0 ^ UInt64(lowercased($1))) &* prime }
    }

    static func of(_ bytes: Span<UInt8>, _ range: ByteRange) -> UInt64 {
        var hash = offset
        for index in range.lowerBound..<range.upperBound {
            hash = (hash ^ UInt64(lowercased(bytes[index]))) &* prime
        }
        return hash
    }

    static func lowercased(_ byte: UInt8) -> UInt8 {
        byte &- UInt8(ascii: "A") < 26 ? byte | 0x20 : byte
    }

    private static var offset: UInt64 { 0xcbf2_9ce4_8422_2325 }
    private static var prime: UInt64 { 0x100_0000_01b3 }
}

extension HostPattern {
    /// Whether a host, given without brackets, is one of this pattern's (RFC 3986 section 3.2.2: case does not count).
    func matches(_ host: ByteRange, in bytes: Span<UInt8>) -> Bool {
        switch self {
        case .exact(let text):
            return text.utf8.count == host.count && Self.ends(host, in: bytes, with: text)
        case .suffix(let text):
            return text.utf8.count < host.count && Self.ends(host, in: bytes, with: text)
        }
    }

    private static func ends(_ host: ByteRange, in bytes: Span<UInt8>, with text: String) -> Bool {
        var index = host.upperBound - text.utf8.count
        for byte in text.utf8 {
            if HostHash.lowercased(bytes[index]) != byte { return false }
            index += 1
        }
        return true
    }
}

extension PortPattern {
    /// Whether a target with this port, or none, is one of this pattern's.
    func matches(_ port: UInt16?, of target: RequestTarget) -> Bool {
        switch self {
        case .any: return true
        case .schemeDefault: return port == nil || port == 80 || port == 443
        case .exactly(let wanted):
            if let port { return port == wanted }
            guard case .absolute(.https, _, _, _) = target else { return wanted == 80 }
            return wanted == 443
        }
    }
}
