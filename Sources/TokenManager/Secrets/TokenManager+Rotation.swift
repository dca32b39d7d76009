/// What happens when a token server gives another refresh token in place of the one that was sent (RFC 6749 section 6).
extension TokenManager {
    /// Acts on the refresh token of an answer, before the access token that came with it is used.
    func keepRefreshToken(of result: Result<TokenAnswer.Grant, FetchFailure>, _ entry: StoredEntry) async {
        guard let old = entry.secrets[.refreshToken] else { return }
        switch result {
        case .success(let granted):
            guard let given = granted.refreshToken, given != .usable(old) else { return noteStillGood(entry) }
            await keep(given, of: entry)
        case .failure(let failure):
            if let given = failure.refreshToken, given != .usable(old) { await keep(given, of: entry) }
        }
    }

    /// Puts a refresh token into use and into its file.
    private func keep(_ given: GivenRefreshToken, of entry: StoredEntry) async {
        switch given {
        case .usable(let refreshToken):
            var secrets = entry.secrets
            secrets[.refreshToken] = refreshToken
            let records = store.secretsReplaced(secrets, of: entry).map { credential(of: $0) }
            for record in records { begin(record.rotation.replaced(), record) }
            for record in records { await endOfWriting(of: record) }
        case .unusable(let reason):
            for record in credentials(of: entry) {
                guard let error = record.rotation.lost(reason, record.name) else { continue }
                observer?.fetchEnded(record.name, .failure(FailedFetch(error)))
            }
        }
    }

    /// The server took the refresh token in use, and gave no other.
    private func noteStillGood(_ entry: StoredEntry) {
        for record in credentials(of: entry) { record.rotation.usedAgain() }
    }

    /// Tries again to write what could not be written, if it is time to.
    func retryWriting(_ record: CredentialRecord, _ now: ContinuousClock.Instant) {
        begin(record.rotation.timeReached(now), record)
    }

    /// Waits for the fetches that may bring another refresh token, but not for ever.
    func finish(_ rotations: [Task<Void, Never>]) async {
        guard !rotations.isEmpty else { return }
        let limit = startLimit(RefreshTokenRotation.patience, of: rotations)
        for rotation in rotations { await end(of: rotation) }
        limit.cancel()
    }

    /// Tries a last time to write what could not be written, and waits for every writing.
    func finishWriting(_ records: [CredentialRecord]) async {
        for record in records { begin(record.rotation.stopped(), record) }
        for record in records { await endOfWriting(of: record) }
    }

    private func begin(_ action: SecretWriting.BeginAction, _ record: CredentialRecord) {
        switch action {
        case .write:
            record.watch.writingBegan()
            record.rotation.begun(in: startWriting(record))
        case .none: break
        }
    }

    private func endOfWriting(of record: CredentialRecord) async {
        if let task = record.rotation.task { await end(of: task) }
    }

    /// Writes the refresh token in use to its file, and again where it has been replaced meanwhile.
    func writeBack(_ record: CredentialRecord) async {
        while true {
            let failure = await write(record)
            switch record.rotation.writingEnded(failure, clock.now) {
            case .writeAgain: continue
            case .report(var error):
                error.retryAfter = record.rotation.retryAt.map { $0 - clock.now }
                observer?.fetchEnded(record.name, .failure(FailedFetch(error)))
            case .none: break
            }
            return
        }
    }

    private func write(_ record: CredentialRecord) async -> TokenError? {
        guard let path = record.rotation.path, let refreshToken = record.holder.secrets?[.refreshToken] else {
            return nil
        }
        // Somebody has changed the file since it was read: the next look at it takes that one into use.
        if let found = await found(in: path), found != record.watch.lastRead?[.refreshToken] { return nil }
        do throws(TokenError) {
            try await writer.write(refreshToken.value, to: path)
            record.watch.refreshTokenWritten(refreshToken)
            return nil
        } catch {
            // It may be there nevertheless, and only not be safe from a loss of power.
            if await found(in: path) == refreshToken { record.watch.refreshTokenWritten(refreshToken) }
            return error.named(record.name)
        }
    }

    private func found(in path: String) async -> SecretText? {
        (try? await text(in: .file(path: path)).get()).map { SecretText($0) }
    }
}
