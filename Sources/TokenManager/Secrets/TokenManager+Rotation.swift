/// What happens when a token server gives another refresh token in place of the one that was sent (RFC 6749 section 6).
extension TokenManager {
    /// How long the end waits for a token server that has been sent a refresh token.
    static let rotationPatience: Duration = .seconds(5)

    /// Acts on the refresh token of an answer, before the access token that came with it is used.
    func keepRefreshToken(of result: Result<TokenAnswer.Grant, FetchFailure>, _ slot: TokenSlot) async {
        guard let old = slot.secrets[.refreshToken] else { return }
        switch result {
        case .success(let granted):
            guard let given = granted.refreshToken, given != .usable(old) else { return noteStillGood(slot) }
            await keep(given, of: slot)
        case .failure(let failure):
            if let given = failure.refreshToken, given != .usable(old) { await keep(given, of: slot) }
        }
    }

    /// Puts a refresh token into use and into its file.
    private func keep(_ given: GivenRefreshToken, of slot: TokenSlot) async {
        // Nobody means the old one any more: somebody has put another one into the file, and that one counts.
        let records = holders[slot.key] ?? []
        switch given {
        case .usable(let refreshToken):
            var secrets = slot.secrets
            secrets[.refreshToken] = refreshToken
            rekey(slot, secrets)
            for record in records {
                record.secrets = secrets
                begin(record.writing.replaced(), record)
            }
            for record in records { await endOfWriting(of: record) }
        case .unusable(let reason):
            for record in records { lose(reason, record) }
        }
    }

    /// The server's new refresh token cannot be kept, and the one in use may be spent.
    private func lose(_ reason: String, _ record: CredentialRecord) {
        guard let path = refreshTokenPath(of: record) else { return }
        let message =
            "the token server gave a new refresh token that \(reason), so it cannot be kept, and the old one may be "
            + "spent: obtain another refresh token and put it into \(path)"
        let error = record.named(TokenError(kind: .secretUnwritable, message: message))
        switch record.writing.lost(error) {
        case .report(let error): observer?.fetchEnded(record.name, .failure(FailedFetch(error)))
        case .none: break
        }
    }

    /// The server took the refresh token in use, and gave no other.
    private func noteStillGood(_ slot: TokenSlot) {
        for record in holders[slot.key] ?? [] { record.writing.usedAgain() }
    }

    /// Another process has put a refresh token into the file while nothing was wrong with the one in use.
    func noteReplacement(_ record: CredentialRecord) {
        guard !record.hasToldReplacement, let path = refreshTokenPath(of: record) else { return }
        record.hasToldReplacement = true
        observer?.refreshTokenReplaced(record.name, in: path)
    }

    private func refreshTokenPath(of record: CredentialRecord) -> String? {
        guard case .grant(_, let places) = record.kind, case .file(let path)? = places[.refreshToken] else {
            return nil
        }
        return path
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
        case .write:
            record.reading.writingBegan()
            resumeReaders(of: record)
            record.writingTask = startWriting(record)
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
            case .report(var error):
                error.retryAfter = record.writing.retryAt.map { $0 - clock.now }
                observer?.fetchEnded(record.name, .failure(FailedFetch(error)))
            case .none: break
            }
            record.writingTask = nil
            return
        }
    }

    private func write(_ record: CredentialRecord) async -> TokenError? {
        guard let path = refreshTokenPath(of: record), let refreshToken = record.secrets?[.refreshToken] else {
            return nil
        }
        // Somebody has changed the file since it was read: the next look at it takes that one into use.
        if let found = await found(in: path), found != record.lastRead?[.refreshToken] { return nil }
        do throws(TokenError) {
            try await writer.write(refreshToken.value, to: path)
            record.lastRead?[.refreshToken] = refreshToken
            return nil
        } catch {
            // It may be there nevertheless, and only not be safe from a loss of power.
            if await found(in: path) == refreshToken { record.lastRead?[.refreshToken] = refreshToken }
            return record.named(error)
        }
    }

    private func found(in path: String) async -> SecretText? {
        (try? await text(in: .file(path: path)).get()).map { SecretText($0) }
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
