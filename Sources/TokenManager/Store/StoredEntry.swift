/// The entry of one key: the machine, and what of its past decides about its future.
///
/// The store alone changes it. It is an object because the machine cannot be copied, and because a fetch in flight names
/// its entry by it, whatever the key is by then.
final class StoredEntry {
    /// Changes when the server replaces a refresh token.
    private(set) var key: TokenKey
    private(set) var secrets: SecretTexts
    var machine: TokenEntry
    /// Whether the refresh token was sent and not answered yet, so that it may be spent.
    var isSpendingRefreshToken = false
    /// When the last fetch was begun because a backend refused the token; it counts whatever has become of the token.
    var refusedAt: ContinuousClock.Instant?
    /// From when on no token of this key is used: the end of the subject token that it is exchanged for.
    let end: ContinuousClock.Instant?

    init(
        key: TokenKey, secrets: SecretTexts, machine: consuming TokenEntry = .empty,
        end: ContinuousClock.Instant? = nil
    ) {
        self.key = key
        self.secrets = secrets
        self.machine = machine
        self.end = end
    }

    /// The server has replaced a secret.
    func replace(_ secrets: SecretTexts, key: TokenKey) {
        self.secrets = secrets
        self.key = key
    }

    var id: ObjectIdentifier { ObjectIdentifier(self) }
}
