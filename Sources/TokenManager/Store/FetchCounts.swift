/// The fetches in flight that the store's capacity does not count, so that they drive out no other token.
struct FetchCounts {
    /// Entries whose fetch was begun for values of requests alone.
    private var ofVariants: Set<ObjectIdentifier> = []
    /// Entries whose key nobody means any more, until their fetch ends.
    private var abandoned: Set<ObjectIdentifier> = []

    /// How many were begun for values of requests alone.
    var variantCount: Int { ofVariants.count }
    /// How many entries there may be beyond the capacity.
    var exempt: Int { ofVariants.count + abandoned.count }

    /// A fetch began.
    mutating func began(_ entry: ObjectIdentifier, isOfVariants: Bool) {
        if isOfVariants { ofVariants.insert(entry) }
    }

    /// A fetch ended.
    mutating func ended(_ entry: ObjectIdentifier) { ofVariants.remove(entry) }

    /// Nobody means the key of a fetch in flight any more.
    mutating func abandoned(_ entry: ObjectIdentifier) {
        if !ofVariants.contains(entry) { abandoned.insert(entry) }
    }

    /// Somebody means the key of a fetch again, or the entry is gone.
    mutating func settled(_ entry: ObjectIdentifier) { abandoned.remove(entry) }
}
