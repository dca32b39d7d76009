/// A user of a token: a configured credential, or one variant of a parameterised one.
///
/// Only the store changes it. Two holders are the same only if they are one object: a variant that was forgotten and
/// requested again is another holder.
final class TokenHolder {
    /// The credential's name.
    let name: String
    /// The variant; nil for the credential itself.
    let variant: TokenVariant?
    /// The key of its token, once the secrets have been read; nil for a parameterised credential, whose variants have
    /// keys.
    var key: TokenKey?
    /// The secrets in use: as they were last readable, except for a refresh token that the server has replaced since.
    var secrets: SecretTexts?
    /// Whether the observer holds a copy of the token.
    var isPublished = false

    init(_ name: String, variant: TokenVariant? = nil) {
        self.name = name
        self.variant = variant
    }
}

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
