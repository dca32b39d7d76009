/// What was read of a credential; no description or reflection shows it.
enum PlaceTexts {
    case secrets(SecretTexts)
    case value(SecretText)
}

/// When secrets are read: apart from the calls that need them, because a file system may hang.
extension TokenManager {
    /// Begins to read a credential's secrets or value if it is time to.
    func check(_ record: CredentialRecord, _ now: ContinuousClock.Instant) {
        if record.isReadingDue(at: now) { beginReading(record, now) }
    }

    /// Waits for the reading that is under way, where a caller needs its result.
    ///
    /// From `start()` on a caller needs it only where nothing could be read before.
    ///
    /// - Throws: `TokenError` if the caller was cancelled.
    func awaitReading(of record: CredentialRecord) async throws(TokenError) {
        while record.watch.isAwaited, !isStopped, !isStarted || !record.isServing(at: clock.now) {
            guard await endOfReading(of: record) else { throw cancelled(record) }
        }
    }

    /// Reads the files of a refresh token's credential again right before the token is sent.
    ///
    /// Another process may have spent the token and written its successor. A server that detects reuse would revoke both
    /// (RFC 9700 section 4.14.2).
    ///
    /// - Throws: `FetchFailure` if another key counts by now, or a file cannot be read, so that nobody knows which counts.
    func confirmRefreshToken(of entry: StoredEntry) async throws(FetchFailure) {
        guard entry.secrets[.refreshToken] != nil else { return }
        for record in credentials(of: entry) where record.kind.isWatched {
            await readAgain(record)
            // One that could not be written is known to this process alone, whatever becomes of the file.
            guard record.holder.key == entry.key, !record.rotation.isUnsaved, let error = record.watch.error else {
                continue
            }
            throw FetchFailure(error: error, isLocal: true)
        }
        guard store.holders.isWanted(entry.key) else {
            let message = "the refresh token was replaced before it was sent"
            throw FetchFailure(error: TokenError(kind: .secretUnreadable, message: message), isLocal: true)
        }
    }

    /// Reads a credential's places from now on: a reading that is under way may have looked too early.
    private func readAgain(_ record: CredentialRecord) async {
        while record.watch.isAwaited, !isStopped {
            guard await endOfReading(of: record) else { return }
        }
        // A token that is on its way to the file is newer than what the file holds.
        guard !isStopped, !record.rotation.isUnderWay else { return }
        beginReading(record, clock.now)
        while record.watch.isAwaited, !isStopped {
            guard await endOfReading(of: record) else { return }
        }
    }

    private func beginReading(_ record: CredentialRecord, _ now: ContinuousClock.Instant) {
        switch record.watch.begin(now) {
        case .read:
            let limit = record.watch.isWatched ? startLimit(SecretWatch.patience, ofReading: record) : nil
            record.watch.begun(in: startReading(record), limit: limit)
        case .none: break
        }
    }

    /// Reads a credential's places, and acts on what changed.
    func readPlaces(of record: CredentialRecord) async {
        let found = await texts(of: record)
        let action = record.watch.ended()
        guard !isStopped else { return }
        let now = clock.now
        switch action {
        case .use: placesRead(record, found, now)
        case .none: break
        }
        timeReached(record, now)
        record.watch.resumeWaiting()
    }

    private func texts(of record: CredentialRecord) async -> Result<PlaceTexts, TokenError> {
        switch record.kind {
        case .grant(_, let places):
            var texts = SecretTexts()
            for role in SecretRole.allCases {
                guard let place = places[role] else { continue }
                record.watch.reached(place)
                switch await text(in: place) {
                case .success(let text):
                    if !role.isPEM, let problem = SecretLine.problem(text) {
                        return .failure(TokenError(kind: .unusableValue, message: "\(place.place) \(problem)"))
                    }
                    texts[role] = SecretText(text)
                case .failure(let error): return .failure(error)
                }
            }
            return .success(.secrets(texts))
        case .local(let place, _):
            record.watch.reached(place)
            return await text(in: place).map { .value(SecretText($0)) }
        case .broken: preconditionFailure("a credential that cannot be used has nothing to read")
        }
    }

    /// A reading has taken as long as it may.
    func readingTimedOut(_ record: CredentialRecord) {
        guard let error = record.watch.timedOut() else { return }
        readingFailed(record, error)
        timeReached(record, clock.now)
        record.watch.resumeWaiting()
    }

    /// False if the caller was cancelled.
    private func endOfReading(of record: CredentialRecord) async -> Bool {
        await end(of: record.watch.park())
    }
}
