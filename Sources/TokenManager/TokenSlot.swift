/// The place of one key in the cache: the machine, and what its owner needs to perform the machine's actions.
///
/// Owned by the manager and used on its executor only.
final class TokenSlot {
    let key: TokenKey
    let secret: SecretText
    var entry: TokenEntry
    /// Those who are parked in `entry`.
    var waiters: [WaiterID: Waiter] = [:]
    /// The one fetch in flight.
    var fetch: Task<Void, Never>?
    private var timer: Task<Void, Never>?
    private var wakeAt: ContinuousClock.Instant?

    init(key: TokenKey, secret: SecretText, entry: consuming TokenEntry = .empty) {
        self.key = key
        self.secret = secret
        self.entry = entry
    }

    /// Sets the timer to the entry's next instant; `sleep` makes the task that waits for it.
    func arm(_ sleep: (ContinuousClock.Instant) -> Task<Void, Never>) {
        guard wakeAt != entry.wakeAt else { return }
        disarm()
        wakeAt = entry.wakeAt
        timer = wakeAt.map(sleep)
    }

    /// Takes the timer away, for good or because it has fired.
    func disarm() {
        timer?.cancel()
        timer = nil
        wakeAt = nil
    }

    /// Answers those who are parked.
    func answer(_ parked: [WaiterID], _ answer: Waiter.Answer) {
        for waiter in parked {
            waiters.removeValue(forKey: waiter)?.resume(answer)
        }
    }
}
