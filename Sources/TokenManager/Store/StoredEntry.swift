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

/// The tasks that wait for each entry's next instant.
struct EntryTimers {
    private var timers: [ObjectIdentifier: (wakeAt: ContinuousClock.Instant, task: Task<Void, Never>)] = [:]

    /// Sets an entry's timer; `sleep` makes the task that waits for it.
    mutating func set(
        _ entry: StoredEntry, to instant: ContinuousClock.Instant?,
        _ sleep: (ContinuousClock.Instant) -> Task<Void, Never>
    ) {
        guard timers[entry.id]?.wakeAt != instant else { return }
        clear(entry)
        if let instant { timers[entry.id] = (instant, sleep(instant)) }
    }

    /// Removes an entry's timer, for good or because it has fired.
    mutating func clear(_ entry: StoredEntry) { timers.removeValue(forKey: entry.id)?.task.cancel() }
}

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
