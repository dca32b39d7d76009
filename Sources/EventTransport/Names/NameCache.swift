/// The answers of name servers, for how long they serve, and when they are looked up again.
///
/// An answer is fresh for its TTL. After that it still serves while the name is looked up again, and for an hour if no name
/// server can say anything (RFC 8767). A server's word that a name has no address ends the old answer, and is not kept: a
/// name that was just created works at once.
///
/// "No such name" holds for both families (RFC 8020) and refreshes what is known (RFC 8767 section 4). But some servers
/// give it for IPv6 alone (RFC 4074 section 4.2). So if no server answered for the other family, its old addresses
/// serve until a look-up gets both answers.
struct NameCache {
    /// What a caller gets for a name.
    enum Use: Equatable {
        case fresh([IPAddress])
        /// The caller gets these at once, and a look-up shall begin.
        case ended([IPAddress])
        /// The caller gets these at once, because a look-up has failed just now.
        case failing([IPAddress])
        /// The caller waits for a look-up, and gets these if it fails or takes long.
        case outdated([IPAddress])
        case unknown
    }

    private struct Entry {
        var addresses: [IPAddress]
        var freshUntil: MonotonicInstant
        /// Whether the last look-up failed or takes long.
        var isFailing = false
        /// When the name is looked up again without a caller, and not before that after a failure; nil if never.
        var refreshAt: MonotonicInstant?
        var lastUse: MonotonicInstant
        var isChosenByApp: Bool
    }

    /// The number of names chosen by apps whose answers are kept, as in Envoy's cache.
    static let chosenLimit = 1024
    /// More names than a configuration has, in case a token server's metadata names ever new hosts.
    static let configuredLimit = 16_384
    /// For how long an answer whose TTL has ended serves at once, while it is looked up.
    static let grace = Duration.seconds(10)
    /// For how long it serves if the name servers fail.
    static let staleLife = Duration.seconds(3600)
    /// The time between look-ups that fail.
    static let retryDelay = Duration.seconds(10)
    /// For how long after its last use a name of the configuration is looked up again and again, as in Envoy's cache.
    static let activeLife = Duration.seconds(300)

    private var entries: [String: Entry] = [:]
    private var chosenCount = 0

    /// How long an answer is fresh.
    ///
    /// At least 1 s, because a TTL of 0 would mean a look-up for every connection. At most 60 s, because a longer one would
    /// delay the move to a backend's new address; nginx keeps the TTL, haproxy looks up every 10 s, Envoy every 5 s or 60 s.
    /// 10 s for an incomplete answer, which names with a broken server give each time.
    static func life(_ ttl: Int?) -> Duration { .seconds(ttl.map { min(max($0, 1), 60) } ?? 10) }

    mutating func use(_ name: String, isChosenByApp: Bool, now: MonotonicInstant) -> Use {
        guard var entry = entries[name] else { return .unknown }
        guard now < entry.freshUntil + Self.staleLife else {
            remove(name)
            return .unknown
        }
        if !isChosenByApp, entry.isChosenByApp {
            chosenCount -= 1
            entry.isChosenByApp = false
            entry.refreshAt = entry.freshUntil
        }
        entry.lastUse = now
        entries[name] = entry
        if now < entry.freshUntil { return .fresh(entry.addresses) }
        if entry.isFailing, let retryAt = entry.refreshAt, now < retryAt { return .failing(entry.addresses) }
        if entry.isFailing || now < entry.freshUntil + Self.grace { return .ended(entry.addresses) }
        return .outdated(entry.addresses)
    }

    /// A look-up has found addresses; `ttl` is nil if no server answered for one of the families.
    mutating func found(
        _ found: [IPAddress], ttl: Int?, of name: String, isChosenByApp: Bool, now: MonotonicInstant
    ) {
        let old = entries[name]
        var addresses = found
        // What is known of a family ends with an answer for that family only.
        if ttl == nil, let old {
            addresses += old.addresses.filter { known in !found.contains { $0.isIPv6 == known.isIPv6 } }
        }
        let isChosenByApp = isChosenByApp && old?.isChosenByApp ?? true
        if old == nil {
            makeRoom(isChosenByApp, now)
            if isChosenByApp { chosenCount += 1 }
        } else if !isChosenByApp, old?.isChosenByApp == true {
            chosenCount -= 1
        }
        let end = now + Self.life(ttl)
        entries[name] = Entry(
            addresses: addresses, freshUntil: end, refreshAt: isChosenByApp ? nil : end,
            lastUse: old?.lastUse ?? now, isChosenByApp: isChosenByApp)
    }

    /// The servers say that the name has no address.
    ///
    /// - Parameters:
    ///   - name: The name.
    ///   - unanswered: The families for which no server answered.
    ///   - now: The time of the answer.
    /// - Returns: The addresses that serve nevertheless; nil if there are none.
    mutating func missing(
        _ name: String, unanswered: Set<AddressKind>, now: MonotonicInstant
    ) -> [IPAddress]? {
        let kept = entries[name]?.addresses.filter { unanswered.contains($0.isIPv6 ? .v6 : .v4) } ?? []
        guard !kept.isEmpty else {
            remove(name)
            return nil
        }
        entries[name]?.addresses = kept
        return failed(name, now: now)
    }

    /// A look-up has failed; returns the addresses that serve nevertheless.
    mutating func failed(_ name: String, now: MonotonicInstant) -> [IPAddress]? {
        guard var entry = entries[name], now < entry.freshUntil + Self.staleLife else { return nil }
        entry.isFailing = true
        entry.refreshAt = now + Self.retryDelay
        entries[name] = entry
        return entry.addresses
    }

    /// A look-up takes long, so further callers do not wait for it.
    mutating func delayed(_ name: String) { entries[name]?.isFailing = true }

    /// The name servers have changed: every answer is looked up again when it is used, also one whose look-up has failed.
    mutating func serversChanged(now: MonotonicInstant) {
        for name in entries.keys {
            entries[name]?.isFailing = false
            guard let end = entries[name]?.freshUntil, end > now else { continue }
            entries[name]?.freshUntil = now
            if entries[name]?.refreshAt != nil { entries[name]?.refreshAt = now }
        }
    }

    /// When the next name is looked up again without a caller.
    var nextRefresh: MonotonicInstant? { entries.values.lazy.compactMap(\.refreshAt).min() }

    /// Takes the names to look up again now, at most `limit`; those that nobody has used for long are left alone.
    mutating func takeDue(_ limit: Int, now: MonotonicInstant) -> [String] {
        var due: [String] = []
        for (name, entry) in entries {
            guard let refreshAt = entry.refreshAt, refreshAt <= now else { continue }
            let isActive = !entry.isChosenByApp && now < entry.lastUse + Self.activeLife
            if isActive, due.count == limit { continue }
            entries[name]?.refreshAt = nil
            if isActive { due.append(name) }
        }
        return due
    }

    private mutating func remove(_ name: String) {
        if let entry = entries.removeValue(forKey: name), entry.isChosenByApp { chosenCount -= 1 }
    }

    /// Removes the eighth of the names of one kind that was used least lately, if there are too many.
    private mutating func makeRoom(_ isChosenByApp: Bool, _ now: MonotonicInstant) {
        let limit = isChosenByApp ? Self.chosenLimit : Self.configuredLimit
        guard (isChosenByApp ? chosenCount : entries.count - chosenCount) >= limit else { return }
        let oldest = entries.filter { $0.value.isChosenByApp == isChosenByApp }
            .sorted { $0.value.lastUse < $1.value.lastUse }.prefix(limit / 8)
        for (name, _) in oldest { remove(name) }
    }
}
