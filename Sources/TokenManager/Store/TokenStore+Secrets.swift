/// What happens to a token when the secrets, and with them the key, change.
extension TokenStore {
    /// Sets a holder's secrets, which may be unchanged.
    ///
    /// If only the refresh token differs and `keepsToken` is true, a good token stays until its refresh is due.
    /// Otherwise two processes that share a file would answer each other's new refresh token with a fetch for ever.
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
            // Another credential has this key already, so both share its token.
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
            // The old secret's token is good until its end, so no caller waits for the new secret's.
            let entry = insert(holder, key, secrets, TokenEntry(adopting: oldToken, now: now))
            if holder.variant == nil {
                timeReached(entry, now, &actions)
            } else {
                publish(holder, oldToken.refreshed(at: now), &actions)
            }
            settle(entry, &actions)
        } else if let fallback {
            // A refused token is better than none for the new secret too.
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

    /// Sets the secrets of a parameterised credential, and so of all its variants.
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

    /// The server has replaced an entry's refresh token, which changes the key of all its holders.
    ///
    /// - Returns: The holders that have the new secrets from now on.
    mutating func secretsReplaced(_ secrets: SecretTexts, of entry: StoredEntry) -> [TokenHolder] {
        // If the old key has no holder left, another process has put another token into the file, and that one
        // counts.
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
