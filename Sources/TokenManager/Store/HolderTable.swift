/// The holders of each key, in the order in which they joined.
struct HolderTable {
    private var holders: [TokenKey: [TokenHolder]] = [:]

    /// The holders of a key.
    subscript(key: TokenKey) -> [TokenHolder] { holders[key] ?? [] }

    /// Whether a key has a holder.
    func isWanted(_ key: TokenKey) -> Bool { holders[key] != nil }

    /// Whether only variants need a key's token: then it is renewed when a caller asks, or not at all.
    func isOfVariants(_ key: TokenKey) -> Bool { holders[key]?.allSatisfy { $0.variant != nil } ?? false }

    /// A holder has this key from now on.
    mutating func join(_ holder: TokenHolder, _ key: TokenKey) { holders[key, default: []].append(holder) }

    /// A holder no longer has this key.
    mutating func leave(_ holder: TokenHolder, _ key: TokenKey) {
        holders[key]?.removeAll { $0 === holder }
        if holders[key]?.isEmpty ?? false { holders[key] = nil }
    }

    /// All holders of the old key have the new one from now on.
    mutating func move(_ old: TokenKey, to new: TokenKey) {
        let moved = holders.removeValue(forKey: old) ?? []
        for holder in moved { holder.key = new }
        // There may be holders already, if another file holds the same secret.
        if !moved.isEmpty { holders[new, default: []] += moved }
    }
}
