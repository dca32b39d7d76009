/// Which holders mean which key, in the order in which they came to it.
struct HolderTable {
    private var holders: [TokenKey: [TokenHolder]] = [:]

    /// Those who mean a key.
    subscript(key: TokenKey) -> [TokenHolder] { holders[key] ?? [] }

    /// Whether anybody means a key.
    func isWanted(_ key: TokenKey) -> Bool { holders[key] != nil }

    /// Whether only values of requests need a key's token: then it is renewed because somebody asks, or not at all.
    func isOfVariants(_ key: TokenKey) -> Bool { holders[key]?.allSatisfy { $0.variant != nil } ?? false }

    /// A holder means this key from now on.
    mutating func join(_ holder: TokenHolder, _ key: TokenKey) { holders[key, default: []].append(holder) }

    /// A holder does not mean this key any more.
    mutating func leave(_ holder: TokenHolder, _ key: TokenKey) {
        holders[key]?.removeAll { $0 === holder }
        if holders[key]?.isEmpty ?? false { holders[key] = nil }
    }

    /// Whoever meant the old key means the new one.
    mutating func move(_ old: TokenKey, to new: TokenKey) {
        let moved = holders.removeValue(forKey: old) ?? []
        for holder in moved { holder.key = new }
        // There may be others already: of a file that somebody has put the same secret into.
        if !moved.isEmpty { holders[new, default: []] += moved }
    }
}
