import HTTPWire

/// A hash of a host that ignores the case of letters.
///
/// A collision costs a comparison, never a wrong match, because every lookup compares the host too.
enum HostHash {
    static func of(_ host: String) -> UInt64 { of(Array(host.utf8).span) }

    static func of(_ host: Span<UInt8>) -> UInt64 {
        let count = host.count
        var hash = UInt64(count)
        var index = 0
        while count &- index >= 8 {
            hash = mixed(hash, host.word(at: index))
            index &+= 8
        }
        guard index < count else { return hash }
        // The last word overlaps the one before it, if the host has 8 bytes or more.
        if count >= 8 { return mixed(hash, host.word(at: count &- 8)) }
        var word: UInt64 = 0
        while index < count {
            word = word &<< 8 | UInt64(host[index])
            index &+= 1
        }
        return mixed(hash, word)
    }

    /// Sets bit 0x20 of every byte, so that `A` and `a` have the same hash.
    @inline(__always)
    private static func mixed(_ hash: UInt64, _ word: UInt64) -> UInt64 {
        let product = (hash ^ (word | 0x2020_2020_2020_2020)) &* 0x9e37_79b9_7f4a_7c15
        return product ^ product &>> 32
    }
}
