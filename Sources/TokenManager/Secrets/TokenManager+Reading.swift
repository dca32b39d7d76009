/// The content of a credential's places; no description or reflection shows it.
enum PlaceTexts {
    case secrets(SecretTexts)
    case value(SecretText)
}

/// When secrets are read: not in the calls that need them, because a file system may hang.
extension TokenManager {
    /// Begins to read a credential's secrets or value if a read is due.
    func check(_ record: CredentialRecord, _ now: ContinuousClock.Instant) {
        if record.isReadingDue(at: now) { beginReading(record, now) }
    }

    /// Waits for the read in progress if a caller needs its result.
    ///
    /// After `start()`, a caller needs it only if no read has succeeded before.
    ///
    /// - Throws: `TokenError` if the caller was cancelled.
    func awaitReading(of record: CredentialRecord) async throws(TokenError) {
        while record.watch.isAwaited, !isStopped, !record.isRetired, !isStarted || !record.isServing(at: clock.now) {
            guard await endOfReading(of: record) else { throw cancelled(record) }
        }
    }

    /// Reads the files of a refresh token's credential again right before the token is sent.
    ///
    /// Another process may have used the token and written its successor. A server that detects reuse would revoke
    /// both (RFC 9700 section 4.14.2).
    ///
    /// - Throws: `FetchFailure` if the credential now has another key, or if a file cannot be read, so that the
    ///   current token is unknown.
    func confirmRefreshToken(of entry: StoredEntry) async throws(FetchFailure) {
        guard entry.secrets[.refreshToken] != nil else { return }
        for record in credentials(of: entry) where record.kind.isWatched {
            await readAgain(record)
            // Only this process knows a token that could not be written, whatever the file holds.
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

    /// Reads a credential's places from now on: the read in progress may have begun too early.
    func readAgain(_ record: CredentialRecord) async {
        while record.watch.isAwaited, !isStopped, !record.isRetired {
            guard await endOfReading(of: record) else { return }
        }
        // A token that is being written to the file is newer than the file's content.
        guard !isStopped, !record.isRetired, !record.rotation.isUnderWay else { return }
        beginReading(record, clock.now)
        while record.watch.isAwaited, !isStopped, !record.isRetired {
            guard await endOfReading(of: record) else { return }
        }
    }

    private func beginReading(_ record: CredentialRecord, _ now: ContinuousClock.Instant) {
        switch record.watch.begin(now) {
        case .read:
            let limit = record.watch.isWatched ? startLimit(SecretWatch.timeout, ofReading: record) : nil
            record.watch.begun(in: startReading(record), limit: limit)
        case .none: break
        }
    }

    /// Reads a credential's places, and acts on changes.
    func readPlaces(of record: CredentialRecord) async {
        let found = await texts(of: record)
        let action = record.watch.ended()
        guard !isStopped, !record.isRetired else { return }
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

    /// A read has reached its time limit.
    func readingTimedOut(_ record: CredentialRecord) {
        guard !record.isRetired, let error = record.watch.timedOut() else { return }
        readingFailed(record, error)
        timeReached(record, clock.now)
        record.watch.resumeWaiting()
    }

    /// Waits for the end of the read; false if the caller was cancelled.
    private func endOfReading(of record: CredentialRecord) async -> Bool {
        await end(of: record.watch.park())
    }
}
