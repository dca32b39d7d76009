/// The fetches in flight that the store's capacity does not count, so that they evict no other token.
struct FetchCounts {
    /// Entries whose fetch was begun only for variants.
    private var ofVariants: Set<ObjectIdentifier> = []
    /// Entries whose key no longer has a holder, until their fetch ends.
    private var abandoned: Set<ObjectIdentifier> = []

    /// How many fetches were begun only for variants.
    var variantCount: Int { ofVariants.count }
    /// How many entries the store may hold beyond its capacity.
    var exempt: Int { ofVariants.count + abandoned.count }

    /// A fetch began.
    mutating func began(_ entry: ObjectIdentifier, isOfVariants: Bool) {
        if isOfVariants { ofVariants.insert(entry) }
    }

    /// A fetch ended.
    mutating func ended(_ entry: ObjectIdentifier) { ofVariants.remove(entry) }

    /// The key of a fetch in flight has lost its last holder.
    mutating func abandoned(_ entry: ObjectIdentifier) {
        if !ofVariants.contains(entry) { abandoned.insert(entry) }
    }

    /// The key of a fetch has a holder again, or the entry was removed.
    mutating func settled(_ entry: ObjectIdentifier) { abandoned.remove(entry) }
}
