/// The entries of all keys, their holders, and the fetches in flight for them.
///
/// It knows no clock, starts no task and answers no caller. Its owner reports events with their time, and performs
/// the returned actions in their order.
struct TokenStore: ~Copyable {
    /// An action for the owner.
    enum Action {
        /// Begin the fetch.
        case fetch(StoredEntry)
        /// Notify the observer of a holder's token.
        case publish(TokenHolder, AccessToken)
        /// Notify the observer that a holder has no token any more.
        case withdraw(TokenHolder)
        /// Answer the parked callers.
        case answer([WaiterID], Answer)
        /// A holder's fetch brought a token.
        case reportFetched(TokenHolder, AccessToken)
        /// A holder's fetch brought no token, and its entry asks again at this instant.
        case reportFailed(TokenHolder, FailedFetch, retryAt: ContinuousClock.Instant?)
        /// The token server refused what a holder's requests say.
        case reportRefusedRequest(TokenHolder)
        /// The first holder shares the token of the second from now on, and takes over its last error.
        case share(TokenHolder, with: TokenHolder)
        /// Report the time at this instant and at no other; nil for never.
        case wake(StoredEntry, at: ContinuousClock.Instant?)
    }

    /// The answer for parked callers.
    enum Answer: Sendable {
        case token(AccessToken)
        case failed(TokenError)
    }

    var entries: TokenCache<TokenKey, StoredEntry>
    var holders = HolderTable()
    var fetches = FetchCounts()
    /// The generations of the tokens of all entries, so that no generation repeats if an entry is dropped and made again.
    var generations = TokenGeneration.Count()

    init(capacity: Int) { entries = TokenCache(capacity: capacity) }

    /// The entry of a holder's key, if there is one.
    func entry(of holder: TokenHolder) -> StoredEntry? { holder.key.flatMap { entries.peek($0) } }

    /// The entry of a holder's key, created if missing; nil if the secrets have never been readable.
    mutating func useEntry(of holder: TokenHolder) -> StoredEntry? {
        guard let key = holder.key, let secrets = holder.secrets else { return nil }
        if let entry = entries.use(key) { return entry }
        let entry = StoredEntry(key: key, secrets: secrets, end: holder.variant?.end)
        entries.insert(entry, for: key)
        return entry
    }

    /// The state of a holder's entry at an instant, for a status page.
    func view(of holder: TokenHolder, at now: ContinuousClock.Instant) -> TokenEntry.View? {
        entry(of: holder)?.machine.view(at: now)
    }

    /// When a holder that keeps a copy of its token should ask again; nil if the token is renewed without that.
    func askAgainAt(
        _ holder: TokenHolder, _ entry: StoredEntry, _ now: ContinuousClock.Instant
    ) -> ContinuousClock.Instant? {
        holder.variant == nil ? nil : entry.machine.askAgainAt(now)
    }

    /// Why no fetch may begin for an entry that only variants need; nil if it may.
    func clientRefusal(of entry: StoredEntry, _ now: ContinuousClock.Instant) -> TokenError? {
        guard holders.isOfVariants(entry.key) else { return nil }
        for variant in variants(of: entry) {
            if let refusal = variant.siblings.refusal(of: variant.key, at: now) { return refusal }
        }
        return nil
    }

    /// The variants of parameterised credentials that need an entry's token.
    func variants(of entry: StoredEntry) -> [TokenVariant] { holders[entry.key].compactMap(\.variant) }

    /// The number of entries that the store may hold.
    ///
    /// A key without a holder, or a variant's key, only waits for the end of its fetch and does not count.
    var mostEntries: Int { entries.capacity + fetches.exempt }
}
