/// FNV-1a over the lower-case bytes of a host, so that a host in a head is looked up without making a String.
///
/// A clash costs a comparison, never a wrong match: whoever finds an entry compares the host too.
enum HostHash {
    static func of(_ host: String) -> UInt64 {
        host.utf8.reduce(offset) { ($0 ^ UInt64(lowercased($1))) &* prime }
    }

    static func of(_ host: Span<UInt8>) -> UInt64 {
        var hash = offset
        for index in host.indices { hash = (hash ^ UInt64(lowercased(host[index]))) &* prime }
        return hash
    }

    static func lowercased(_ byte: UInt8) -> UInt8 {
        byte &- UInt8(ascii: "A") < 26 ? byte | 0x20 : byte
    }

    private static var offset: UInt64 { 0xcbf2_9ce4_8422_2325 }
    private static var prime: UInt64 { 0x100_0000_01b3 }
}
