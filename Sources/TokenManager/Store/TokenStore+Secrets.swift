/// Other secrets are another key: what becomes of the token that the old ones brought.
extension TokenStore {
    /// A holder's secrets are these from now on; they may be the ones that are.
    ///
    /// Where nothing but the refresh token is another one, a good token stays until it is due if `keepsToken` says so. Two
    /// processes that share a file would else answer each other's new refresh token with a fetch, without end.
    mutating func secretsRead(
        _ secrets: SecretTexts, of holder: TokenHolder, _ grant: TokenGrant, _ now: ContinuousClock.Instant,
        keepsToken: Bool = false
    ) -> [Action] {
        guard secrets != holder.secrets else { return [] }
        var actions: [Action] = []
        let key = TokenKey(grant: grant, secrets: secrets)
        let old = entry(of: holder)
        let oldToken = old?.machine.token(at: now)
        let fallback = old?.machine.fallback(at: now)
        let isOther = holder.secrets?.differOnlyInRefreshToken(from: secrets) ?? false
        let kept = keepsToken && isOther ? old?.machine.settledToken(at: now) : nil
        if let old = holder.key { leave(old, holder, &actions) }
        holder.key = key
        holder.secrets = secrets
        holders.join(holder, key)
        if let entry = entries.peek(key) {
            // Another credential has this key already; its token is this one's too.
            fetches.settled(entry.id)
            if let other = holders[key].first, other !== holder { actions.append(.share(holder, with: other)) }
            if let token = entry.machine.token(at: now) {
                publish(holder, token, &actions)
            } else {
                withdraw(holder, &actions)
            }
        } else if let kept {
            settle(insert(holder, key, secrets, TokenEntry(keeping: kept)), &actions)
        } else if let oldToken {
            // The old secret's token is good until its end, so nobody waits for the new secret's.
            let entry = insert(holder, key, secrets, TokenEntry(adopting: oldToken, now: now))
            if holder.variant == nil {
                timeReached(entry, now, &actions)
            } else {
                publish(holder, oldToken.refreshed(at: now), &actions)
            }
            settle(entry, &actions)
        } else if let fallback {
            // A refused token is better than none for the new secret as well.
            let entry = insert(holder, key, secrets, TokenEntry(fallingBackOn: fallback))
            beginFetch(entry, &actions)
            settle(entry, &actions)
        } else {
            withdraw(holder, &actions)
        }
        return actions
    }

    private mutating func insert(
        _ holder: TokenHolder, _ key: TokenKey, _ secrets: SecretTexts, _ machine: consuming TokenEntry
    ) -> StoredEntry {
        let entry = StoredEntry(key: key, secrets: secrets, machine: machine, end: holder.variant?.end)
        entries.insert(entry, for: key)
        return entry
    }

    /// A parameterised credential has other secrets, and with it all its values.
    mutating func secretsRead(
        _ secrets: SecretTexts, of holder: TokenHolder, _ variants: CredentialVariants,
        _ now: ContinuousClock.Instant, keepsToken: Bool
    ) -> [Action] {
        holder.secrets = secrets
        variants.secretsChanged()
        var actions: [Action] = []
        for value in variants.holders {
            guard let variant = value.variant else { continue }
            actions += secretsRead(
                variant.secrets(secrets), of: value, variant.grant, now, keepsToken: keepsToken)
            if entry(of: value) == nil { forget(value, &actions) }
        }
        return actions
    }

    /// The server has replaced an entry's refresh token, which is another key; whoever meant the old one means the new one.
    ///
    /// - Returns: Those whose secrets are these from now on.
    mutating func secretsReplaced(_ secrets: SecretTexts, of entry: StoredEntry) -> [TokenHolder] {
        // Where nobody means the old one any more, somebody has put another one into the file, and that one counts.
        let affected = holders[entry.key]
        let old = entry.key
        let key = TokenKey(grant: old.grant, secrets: secrets)
        if entries.peek(old) === entry, entries.peek(key) == nil {
            _ = entries.remove(old)
            entries.insert(entry, for: key)
            entry.replace(secrets, key: key)
            holders.move(old, to: key)
            if holders.isWanted(key) { fetches.settled(entry.id) }
        } else {
            entry.replace(secrets, key: old)
        }
        for holder in affected { holder.secrets = secrets }
        return affected
    }
}
