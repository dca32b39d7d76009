/// What happens when a token server gives another refresh token in place of the one that was sent (RFC 6749 section 6).
extension TokenManager {
    /// How long the end waits for a token server that has been sent a refresh token.
    static let rotationPatience: Duration = .seconds(5)

    /// Puts a refresh token into use and into its file, before the access token that came with it is used.
    func keep(_ refreshToken: SecretText?, of slot: TokenSlot) async {
        guard let refreshToken, let old = slot.secrets[.refreshToken], refreshToken != old else { return }
        // Nobody means the old one any more: somebody has put another one into the file, and that one counts.
        let records = holders[slot.key] ?? []
        var secrets = slot.secrets
        secrets[.refreshToken] = refreshToken
        rekey(slot, secrets)
        for record in records {
            record.secrets = secrets
            begin(record.writing.replaced(), record)
        }
        for record in records { await endOfWriting(of: record) }
    }

    /// Tries again to write what could not be written, if it is time to.
    func retryWriting(_ record: CredentialRecord, _ now: ContinuousClock.Instant) {
        begin(record.writing.timeReached(now), record)
    }

    /// Waits for the fetches that may bring another refresh token, but not for ever.
    func finish(_ rotations: [Task<Void, Never>]) async {
        guard !rotations.isEmpty else { return }
        let limit = startLimit(Self.rotationPatience, of: rotations)
        for rotation in rotations { await end(of: rotation) }
        limit.cancel()
    }

    /// Tries a last time to write what could not be written, and waits for every writing.
    func finishWriting(_ records: [CredentialRecord]) async {
        for record in records { begin(record.writing.stopped(), record) }
        for record in records { await endOfWriting(of: record) }
    }

    private func begin(_ action: SecretWriting.BeginAction, _ record: CredentialRecord) {
        switch action {
        case .write: record.writingTask = startWriting(record)
        case .none: break
        }
    }

    private func endOfWriting(of record: CredentialRecord) async {
        if let task = record.writingTask { await end(of: task) }
    }

    /// Writes the refresh token in use to its file, and again where it has been replaced meanwhile.
    func writeBack(_ record: CredentialRecord) async {
        while true {
            let failure = await write(record)
            switch record.writing.writingEnded(failure, now: clock.now) {
            case .writeAgain: continue
            case .report(let error): observer?.fetchEnded(record.name, .failure(FailedFetch(error)))
            case .none: break
            }
            record.writingTask = nil
            return
        }
    }

    private func write(_ record: CredentialRecord) async -> TokenError? {
        guard case .grant(_, let places) = record.kind, case .file(let path)? = places[.refreshToken],
            let refreshToken = record.secrets?[.refreshToken]
        else { return nil }
        // Somebody has changed the file since it was read: the next look at it takes that one into use.
        if let found = found(in: path), found != record.lastRead?[.refreshToken] { return nil }
        do throws(TokenError) {
            try await writer.write(refreshToken.value, to: path)
            record.lastRead?[.refreshToken] = refreshToken
            return nil
        } catch {
            // It may be there nevertheless, and only not be safe from a loss of power.
            if found(in: path) == refreshToken { record.lastRead?[.refreshToken] = refreshToken }
            return record.named(error)
        }
    }

    private func found(in path: String) -> SecretText? {
        (try? secrets.read(.file(path: path))).map { SecretText($0) }
    }

    /// Another refresh token is another key; whoever meant the old one means the new one.
    private func rekey(_ slot: TokenSlot, _ secrets: SecretTexts) {
        let old = slot.key
        let key = TokenKey(grant: old.grant, secrets: secrets)
        guard slots.peek(old) === slot, slots.peek(key) == nil else {
            slot.replace(secrets, key: old)
            return
        }
        _ = slots.remove(old)
        slots.insert(slot, for: key)
        slot.replace(secrets, key: key)
        let moved = holders.removeValue(forKey: old) ?? []
        for record in moved { record.key = key }
        // There may be others already: of a file that somebody has put the same one into.
        if !moved.isEmpty { holders[key, default: []] += moved }
        if holders[key] != nil { abandoned.remove(ObjectIdentifier(slot)) }
    }
}
