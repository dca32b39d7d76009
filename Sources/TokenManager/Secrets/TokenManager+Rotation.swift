/// Handles a new refresh token that a token server issues in place of the one that was sent (RFC 6749 section 6).
extension TokenManager {
    /// Handles the refresh token in a response, before the access token of the response is used.
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

    /// Uses a new refresh token from now on, and writes it to its file.
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

    /// The server accepted the refresh token in use, and issued no other.
    private func noteStillGood(_ entry: StoredEntry) {
        for record in credentials(of: entry) { record.rotation.usedAgain() }
    }

    /// Repeats a failed write if it is due.
    func retryWriting(_ record: CredentialRecord, _ now: ContinuousClock.Instant) {
        begin(record.rotation.timeReached(now), record)
    }

    /// Waits, for a limited time, for the fetches that may bring another refresh token.
    func finish(_ rotations: [Task<Void, Never>]) async {
        guard !rotations.isEmpty else { return }
        let limit = startLimit(RefreshTokenRotation.timeout, of: rotations)
        for rotation in rotations { await end(of: rotation) }
        limit.cancel()
    }

    /// Tries failed writes a last time, and waits for every write.
    func finishWriting(_ records: [CredentialRecord]) async {
        tryWriting(records)
        for record in records { await endOfWriting(of: record) }
    }

    /// Tries failed writes now, whether or not they are due.
    func tryWriting(_ records: [CredentialRecord]) {
        for record in records { begin(record.rotation.triedNow(), record) }
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

    /// Writes the refresh token in use to its file, and again if it was replaced meanwhile.
    func writeBack(_ record: CredentialRecord) async {
        while true {
            let failure = await write(record)
            switch record.rotation.writingEnded(failure, clock.now) {
            case .writeAgain: continue
            case .report(var error):
                error.retryAfter = record.rotation.retryAt.map { $0 - clock.now }
                observer?.fetchEnded(record.name, .failure(FailedFetch(error)))
            case .reportWritten: observer?.refreshTokenWritten(record.name)
            case .none: break
            }
            return
        }
    }

    private func write(_ record: CredentialRecord) async -> TokenError? {
        guard let path = record.rotation.path, let refreshToken = record.holder.secrets?[.refreshToken] else {
            return nil
        }
        // Another process has changed the file since it was read: the next read uses that token.
        if let found = await found(in: path), found != record.watch.lastRead?[.refreshToken] { return nil }
        guard let error = await write(refreshToken, to: path) else {
            record.watch.refreshTokenWritten(refreshToken)
            return nil
        }
        // The token may be in the file nevertheless, but may not survive a loss of power.
        if await found(in: path) == refreshToken { record.watch.refreshTokenWritten(refreshToken) }
        return error.named(record.name)
    }

    private func found(in path: String) async -> SecretText? {
        (try? await text(in: .file(path: path)).get()).map { SecretText($0) }
    }
}
