/// What was read of a credential; no description or reflection shows it.
enum PlaceTexts {
    case secrets(SecretTexts)
    case value(SecretText)
}

/// When secrets are read: apart from the calls that need them, because a file system may hang.
extension TokenManager {
    /// A longer reading is reported as a failure, and nobody waits for it any more.
    static let readingPatience: Duration = .seconds(10)

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
        while record.reading.isAwaited, !isStopped, !isStarted || !record.isServing(at: clock.now) {
            guard await endOfReading(of: record) else { throw cancelled(record) }
        }
    }

    /// Reads the files of a refresh token's credential again right before the token is sent.
    ///
    /// Another process may have spent the token and written its successor. A server that detects reuse would revoke both
    /// (RFC 9700 section 4.14.2).
    ///
    /// - Throws: `FetchFailure` if another key counts by now, or a file cannot be read, so that nobody knows which counts.
    func confirmRefreshToken(of slot: TokenSlot) async throws(FetchFailure) {
        guard slot.secrets[.refreshToken] != nil else { return }
        for record in holders[slot.key] ?? [] where record.isWatched {
            await readAgain(record)
            // One that could not be written is known to this process alone, whatever becomes of the file.
            guard record.key == slot.key, !record.writing.isUnsaved, let error = record.secretError else { continue }
            throw FetchFailure(error: error, isLocal: true)
        }
        guard holders[slot.key] != nil else {
            let message = "the refresh token was replaced before it was sent"
            throw FetchFailure(error: TokenError(kind: .secretUnreadable, message: message), isLocal: true)
        }
    }

    /// Reads a credential's places from now on: a reading that is under way may have looked too early.
    private func readAgain(_ record: CredentialRecord) async {
        while record.reading.isAwaited, !isStopped {
            guard await endOfReading(of: record) else { return }
        }
        // A token that is on its way to the file is newer than what the file holds.
        guard !isStopped, !record.writing.isUnderWay else { return }
        beginReading(record, clock.now)
        while record.reading.isAwaited, !isStopped {
            guard await endOfReading(of: record) else { return }
        }
    }

    private func beginReading(_ record: CredentialRecord, _ now: ContinuousClock.Instant) {
        switch record.reading.begin() {
        case .read:
            record.checkedAt = now
            if record.isWatched { record.readingLimit = startLimit(Self.readingPatience, ofReading: record) }
            record.readingTask = startReading(record)
        case .none: break
        }
    }

    /// Reads a credential's places, and acts on what changed.
    func readPlaces(of record: CredentialRecord) async {
        let found = await texts(of: record)
        record.placeBeingRead = nil
        record.readingLimit?.cancel()
        record.readingLimit = nil
        record.readingTask = nil
        let action = record.reading.ended()
        guard !isStopped else { return }
        let now = clock.now
        switch action {
        case .use: placesRead(record, found, now)
        case .none: break
        }
        timeReached(record, now)
        resumeReaders(of: record)
    }

    private func texts(of record: CredentialRecord) async -> Result<PlaceTexts, TokenError> {
        switch record.kind {
        case .grant(_, let places):
            var texts = SecretTexts()
            for role in SecretRole.allCases {
                guard let place = places[role] else { continue }
                record.placeBeingRead = place
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
            record.placeBeingRead = place
            return await text(in: place).map { .value(SecretText($0)) }
        case .broken: preconditionFailure("a credential that cannot be used has nothing to read")
        }
    }

    /// A reading has taken as long as it may.
    func readingTimedOut(_ record: CredentialRecord) {
        switch record.reading.timedOut() {
        case .report:
            let seconds = Self.readingPatience.components.seconds
            let place = record.placeBeingRead?.place ?? "a secret"
            let message = "\(place) could not be read for \(seconds) s: look at the file system that holds it"
            readingFailed(record, TokenError(kind: .secretUnreadable, message: message))
            timeReached(record, clock.now)
            resumeReaders(of: record)
        case .none: break
        }
    }

    /// Lets nobody wait for a reading any more.
    func resumeReaders(of record: CredentialRecord) {
        let readers = record.readers
        record.readers = []
        for reader in readers { reader.resume(()) }
    }

    /// Nothing that is read counts any more.
    func stopReading(_ record: CredentialRecord) {
        record.readingLimit?.cancel()
        record.readingLimit = nil
        // A task that waits for a file could not go on when its loop has stopped.
        record.readingTask?.cancel()
        record.readingTask = nil
        resumeReaders(of: record)
    }

    /// False if the caller was cancelled.
    private func endOfReading(of record: CredentialRecord) async -> Bool {
        let reader = Waiter<Void>()
        record.readers.append(reader)
        return await end(of: reader)
    }
}
