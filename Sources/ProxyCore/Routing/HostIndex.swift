import HTTPWire

/// The numbers of routes by the hash of their host, so that a host in a head is found without making a String.
///
/// A class, because each request would retain and release the arrays of a struct.
final class HostIndex: Sendable {
    private struct Slot {
        var hash: UInt64 = 0
        /// The range in `numbers`; empty in a free slot.
        var numbers = 0..<0
    }

    /// The numbers of each host side by side, in the given order.
    private let numbers: [Int]
    /// The hash table: its size is a power of two, and at most half is used.
    ///
    /// A hash is in its own slot or in the next free one.
    private let slots: [Slot]
    /// The slot of a hash is in its top bits: they depend on every byte of the host, the low bits only on its first.
    private let placeShift: UInt64

    var isEmpty: Bool { numbers.isEmpty }

    init(_ hosts: [(host: String, number: Int)]) {
        var order: [UInt64] = []
        var byHash: [UInt64: [Int]] = [:]
        for (host, number) in hosts {
            let hash = HostHash.of(host)
            if byHash[hash] == nil { order.append(hash) }
            byHash[hash, default: []].append(number)
        }
        var size = 4
        var placeShift: UInt64 = 62
        while size < 2 * order.count {
            size *= 2
            placeShift -= 1
        }
        var slots = Array(repeating: Slot(), count: size)
        var numbers: [Int] = []
        for hash in order {
            var place = Int(hash >> placeShift)
            while !slots[place].numbers.isEmpty { place = (place + 1) & (size - 1) }
            let start = numbers.count
            numbers += byHash[hash] ?? []
            slots[place] = Slot(hash: hash, numbers: start..<numbers.count)
        }
        self.numbers = numbers
        self.slots = slots
        self.placeShift = placeShift
    }

    /// The range of the numbers for hosts with this hash; empty if there are none.
    func find(_ hash: UInt64) -> Range<Int> {
        let last = slots.count &- 1
        var place = Int(truncatingIfNeeded: hash &>> placeShift)
        while !slots[place].numbers.isEmpty {
            if slots[place].hash == hash { return slots[place].numbers }
            place = (place &+ 1) & last
        }
        return 0..<0
    }

    subscript(_ position: Int) -> Int { numbers[position] }
}

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
