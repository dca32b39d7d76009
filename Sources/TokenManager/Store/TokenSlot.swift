/// The place of one key in the cache: the machine, and what its owner needs to perform the machine's actions.
///
/// Owned by the manager and used on its executor only.
final class TokenSlot {
    /// What those who are parked are told.
    enum Answer: Sendable {
        case token(AccessToken)
        case failed(TokenError)
    }

    /// Changes when the server replaces a refresh token.
    private(set) var key: TokenKey
    private(set) var secrets: SecretTexts
    var entry: TokenEntry
    /// Those who are parked in `entry`.
    var waiters: [WaiterID: Waiter<Answer>] = [:]
    /// The one fetch in flight.
    var fetch: Task<Void, Never>?
    /// The refresh token that was sent and not answered yet, so that it may be spent.
    var spending: SecretText?
    /// When the last fetch was begun because a backend refused the token.
    var refusedAt: ContinuousClock.Instant?
    /// From when on no token of this key is used: the end of the subject token that it is exchanged for.
    let end: ContinuousClock.Instant?
    private var timer: Task<Void, Never>?
    private var wakeAt: ContinuousClock.Instant?

    init(
        key: TokenKey, secrets: SecretTexts, entry: consuming TokenEntry = .empty,
        end: ContinuousClock.Instant? = nil
    ) {
        self.key = key
        self.secrets = secrets
        self.entry = entry
        self.end = end
    }

    /// The server has replaced a secret.
    func replace(_ secrets: SecretTexts, key: TokenKey) {
        self.secrets = secrets
        self.key = key
    }

    /// Sets the timer to the entry's next instant; `sleep` makes the task that waits for it.
    func arm(for instant: ContinuousClock.Instant?, _ sleep: (ContinuousClock.Instant) -> Task<Void, Never>) {
        guard wakeAt != instant else { return }
        disarm()
        wakeAt = instant
        timer = wakeAt.map(sleep)
    }

    /// Takes the timer away, for good or because it has fired.
    func disarm() {
        timer?.cancel()
        timer = nil
        wakeAt = nil
    }

    /// Answers those who are parked.
    func answer(_ parked: [WaiterID], _ answer: Answer) {
        for waiter in parked {
            waiters.removeValue(forKey: waiter)?.resume(answer)
        }
    }
}
