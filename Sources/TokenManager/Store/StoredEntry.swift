/// The entry of one key: the machine, and the parts of its history that later decisions need.
///
/// Only the store changes it. It is an object because the machine cannot be copied, and because a fetch in flight
/// names its entry by it, even if the key changes.
final class StoredEntry {
    /// Changes when the server replaces a refresh token.
    private(set) var key: TokenKey
    private(set) var secrets: SecretTexts
    var machine: TokenEntry
    /// Whether the refresh token was sent and not answered yet, so that it may be spent.
    var isSpendingRefreshToken = false
    /// When the last fetch began because a backend refused the token; kept even if the token changes.
    var refusedAt: ContinuousClock.Instant?
    /// The instant from which no token of this key is used: the end of the subject token that it is exchanged for.
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
