/// The entries of all keys, who means them, and the fetches in flight for them.
///
/// It knows no clock, starts no task and answers nobody: its owner reports events with their time, and performs the actions
/// that each returns, in their order.
struct TokenStore: ~Copyable {
    /// What the owner has to do.
    enum Action {
        /// Begin the fetch.
        case fetch(StoredEntry)
        /// Tell the observer of a holder's token.
        case publish(TokenHolder, AccessToken)
        /// Tell the observer that a holder has no token any more.
        case withdraw(TokenHolder)
        /// Answer those who are parked.
        case answer([WaiterID], Answer)
        /// A holder's fetch brought a token.
        case reportFetched(TokenHolder, AccessToken)
        /// A holder's fetch brought none, and its entry asks again at this instant.
        case reportFailed(TokenHolder, FailedFetch, retryAt: ContinuousClock.Instant?)
        /// The token server refused what a holder's requests say.
        case reportRefusedRequest(TokenHolder)
        /// The first holder shares the token of the second from now on, and with it what went wrong before.
        case share(TokenHolder, with: TokenHolder)
        /// Report the time at this instant, and at no other; nil for none.
        case wake(StoredEntry, at: ContinuousClock.Instant?)
    }

    /// What those who are parked are told.
    enum Answer: Sendable {
        case token(AccessToken)
        case failed(TokenError)
    }

    var entries: TokenCache<TokenKey, StoredEntry>
    var holders = HolderTable()
    var fetches = FetchCounts()

    init(capacity: Int) { entries = TokenCache(capacity: capacity) }

    /// The entry of a holder's key, if there is one.
    func entry(of holder: TokenHolder) -> StoredEntry? { holder.key.flatMap { entries.peek($0) } }

    /// The entry of a holder's key, made if it is not there; nil if the secrets have never been readable.
    mutating func useEntry(of holder: TokenHolder) -> StoredEntry? {
        guard let key = holder.key, let secrets = holder.secrets else { return nil }
        if let entry = entries.use(key) { return entry }
        let entry = StoredEntry(key: key, secrets: secrets, end: holder.variant?.end)
        entries.insert(entry, for: key)
        return entry
    }

    /// How a holder's entry looks at an instant, for a status page.
    func view(of holder: TokenHolder, at now: ContinuousClock.Instant) -> TokenEntry.View? {
        entry(of: holder)?.machine.view(at: now)
    }

    /// When a holder that keeps a copy of its token should ask again; nil where the token is renewed without.
    func askAgainAt(
        _ holder: TokenHolder, _ entry: StoredEntry, _ now: ContinuousClock.Instant
    ) -> ContinuousClock.Instant? {
        holder.variant == nil ? nil : entry.machine.askAgainAt(now)
    }

    /// Why no fetch may begin for an entry that only values of requests need; nil where it may.
    func clientRefusal(of entry: StoredEntry, _ now: ContinuousClock.Instant) -> TokenError? {
        guard holders.isOfVariants(entry.key) else { return nil }
        for variant in variants(of: entry) {
            if let refusal = variant.siblings.refusal(of: variant.key, at: now) { return refusal }
        }
        return nil
    }

    /// The values of parameterised credentials that need an entry's token.
    func variants(of entry: StoredEntry) -> [TokenVariant] { holders[entry.key].compactMap(\.variant) }

    /// How many entries there may be: a key that nobody means any more, or a request's value, only waits for the end of its
    /// fetch, and takes no other's place meanwhile.
    var mostEntries: Int { entries.capacity + fetches.exempt }
}
