/// All tasks that a manager starts.
///
/// Each begins on the manager's executor, is held by the object that it works for, and is cancelled with it.
extension TokenManager {
    /// Fetches an entry's token, and reports the end unless the manager was stopped meanwhile.
    func startFetch(for entry: StoredEntry) -> Task<Void, Never> {
        Task {
            let startedAt = clock.now
            let result = await fetch(entry)
            for holder in store.holders[entry.key] { observer?.fetchTook(holder.name, clock.now - startedAt) }
            // Even after a stop: the server may no longer accept the old refresh token.
            await keepRefreshToken(of: result, entry)
            if !isStopped { fetchEnded(entry, result) }
            replacement?.changed()
        }
    }

    /// Reads an issuer's metadata, once for all callers that need it meanwhile.
    func startDiscovery(_ key: MetadataKey) -> EndpointDiscovery.Reading {
        let reading = Task {
            defer { discovery.readings[key] = nil }
            do throws(FetchFailure) {
                return Result<ServerMetadata, FetchFailure>.success(try await discover(key))
            } catch {
                return .failure(error)
            }
        }
        discovery.readings[key] = reading
        return reading
    }

    /// Waits for the end of a metadata read that others may wait for too.
    func end(of reading: EndpointDiscovery.Reading) async -> Result<ServerMetadata, FetchFailure> {
        await withTaskExecutorPreference(executor.preference) { await reading.value }
    }

    /// Waits for the end of a fetch, a write or the manager's stop.
    func end(of task: Task<Void, Never>) async {
        await withTaskExecutorPreference(executor.preference) { await task.value }
    }

    /// Waits for the end of a read; false if the task was cancelled.
    func end(of reader: Waiter<Void>) async -> Bool {
        await withTaskExecutorPreference(executor.preference) { await reader.answer() != nil }
    }

    /// Waits until the preparation of a replacement may be complete.
    func end(ofChange replacement: Replacement) async {
        let change = replacement.nextChange()
        await withTaskExecutorPreference(executor.preference) { _ = await change.answer() }
    }

    /// Ends the preparation of a replacement that takes longer than `timeout`.
    func startLimit(_ timeout: Duration, of replacement: Replacement) -> Task<Void, Never> {
        Task {
            if await sleep(until: clock.now + timeout) { replacement.timeIsOver() }
        }
    }

    /// Cancels fetches that take longer than `timeout`.
    func startLimit(_ timeout: Duration, of fetches: [Task<Void, Never>]) -> Task<Void, Never> {
        Task {
            guard await sleep(until: clock.now + timeout) else { return }
            for fetch in fetches { fetch.cancel() }
        }
    }

    /// Reads a credential's secrets or value; cancelled only at the end, because a file system that hangs may still
    /// answer.
    func startReading(_ record: CredentialRecord) -> Task<Void, Never> {
        Task { await readPlaces(of: record) }
    }

    /// Reports a read that takes longer than `timeout`.
    func startLimit(_ timeout: Duration, ofReading record: CredentialRecord) -> Task<Void, Never> {
        Task {
            guard await sleep(until: clock.now + timeout), !Task.isCancelled else { return }
            readingTimedOut(record)
        }
    }

    /// Reads one place.
    func text(in place: Secret) async -> Result<String, TokenError> {
        await withTaskExecutorPreference(executor.preference) {
            do throws(TokenError) {
                return .success(try await secrets.read(place))
            } catch {
                return .failure(error)
            }
        }
    }

    /// Writes to a file, and returns the error of a failure.
    func write(_ text: SecretText, to path: String) async -> TokenError? {
        await withTaskExecutorPreference(executor.preference) {
            do throws(TokenError) {
                try await writer.write(text.value, to: path)
                return nil
            } catch {
                return error
            }
        }
    }

    /// Writes a refresh token to its file.
    func startWriting(_ record: CredentialRecord) -> Task<Void, Never> {
        Task {
            await writeBack(record)
            replacement?.changed()
        }
    }

    /// Lets requests that have been sent to token servers end safely.
    func startEnd(of rotations: [Task<Void, Never>], _ records: [CredentialRecord]) -> Task<Void, Never> {
        Task {
            await finish(rotations)
            await finishWriting(records)
        }
    }

    /// Reports the time to an entry at an instant.
    func startTimer(for entry: StoredEntry, _ deadline: ContinuousClock.Instant) -> Task<Void, Never> {
        Task {
            guard await sleep(until: deadline) else { return }
            timerFired(entry)
        }
    }

    /// Reads the secrets that may change, again and again.
    func startWatch() -> Task<Void, Never> {
        Task {
            while await sleep(until: clock.now + SecretWatch.interval) { watchSecrets() }
        }
    }

    /// Sends one request.
    func exchange(_ request: TokenRequest) async -> Result<TokenResponse, TokenTransportError> {
        await withTaskExecutorPreference(executor.preference) {
            do throws(TokenTransportError) {
                return .success(try await transport.exchange(request))
            } catch {
                return .failure(error)
            }
        }
    }

    /// Suspends; false if the task was cancelled meanwhile.
    private func sleep(until deadline: ContinuousClock.Instant) async -> Bool {
        await withTaskExecutorPreference(executor.preference) {
            do { try await clock.sleep(until: deadline) } catch { return false }
            return !Task.isCancelled
        }
    }
}

/// Performs the store's actions, and notifies the observer.
extension TokenManager {
    func perform(_ actions: [TokenStore.Action], _ now: ContinuousClock.Instant) {
        for action in actions { perform(action, now) }
    }

    private func perform(_ action: TokenStore.Action, _ now: ContinuousClock.Instant) {
        switch action {
        case .fetch(let entry): fetches[entry.id] = startFetch(for: entry)
        case .answer(let waiting, let answer): waiters.answer(waiting, answer)
        case .wake(let entry, at: nil): timers.clear(entry)
        case .wake(let entry, let instant):
            if isStarted, !isStopped { timers.set(entry, to: instant) { startTimer(for: entry, $0) } }
        case .publish(let holder, let token):
            let askAgainAt = holder.variant == nil ? nil : token.refreshAt
            let header = credential(of: holder).configuration.header(token, askAgainAt: askAgainAt)
            observer?.headerChanged(holder.name, holder.variant?.request, header)
        case .withdraw(let holder): observer?.headerChanged(holder.name, holder.variant?.request, nil)
        case .reportFetched(let holder, let token):
            let record = credential(of: holder)
            let recovery = record.tally.fetchSucceeded(now)
            let fetched = FetchedToken(refreshAt: token.refreshAt, usableUntil: token.usableUntil, recovery: recovery)
            report(record, .success(fetched))
        case .reportFailed(let holder, let failure, let retryAt):
            let record = credential(of: holder)
            record.tally.fetchFailed(now)
            report(record, .failure(failure), retryAt: retryAt)
        case .reportRefusedRequest(let holder): credential(of: holder).tally.countRefusedRequest()
        case .share(let holder, let other):
            // The errors of variants belong to their credentials.
            guard holder.variant == nil else { break }
            let tally = other.variant == nil ? credential(of: other).tally : FetchTally(nil)
            credential(of: holder).tally.join(tally, as: holder.name)
        }
    }

    /// The configured credential of a holder, which may be one of its variants.
    func credential(of holder: TokenHolder) -> CredentialRecord {
        guard let record = record(holder.name) else { preconditionFailure("a holder of no credential") }
        return record
    }

    /// The credentials that need an entry's token, one for each holder.
    func credentials(of entry: StoredEntry) -> [CredentialRecord] {
        store.holders[entry.key].map { credential(of: $0) }
    }

    /// A fetch ended.
    func fetchEnded(_ entry: StoredEntry, _ result: Result<TokenAnswer.Grant, FetchFailure>) {
        fetches[entry.id] = nil
        let now = clock.now
        switch result {
        case .success(let granted): perform(store.fetchSucceeded(entry, granted.token, now), now)
        case .failure(let failure): perform(store.fetchFailed(entry, failure, now, random: randomFraction()), now)
        }
    }

    /// The instant of an entry's timer has come.
    func timerFired(_ entry: StoredEntry) {
        timers.clear(entry)
        let now = clock.now
        perform(store.timerFired(entry, now), now)
    }

    /// A credential's fetch or read ended.
    ///
    /// - Parameters:
    ///   - record: The credential.
    ///   - result: The result.
    ///   - retryAt: When the entry of the fetch asks again.
    func report(
        _ record: CredentialRecord, _ result: Result<FetchedToken, FailedFetch>,
        retryAt: ContinuousClock.Instant? = nil
    ) {
        record.tally.count(result)
        let now = clock.now
        let result = result.mapError { failure in
            var error = failure.error.named(record.name)
            error.retryAfter = nextAttempt(of: record, entry: retryAt, now).map { max($0 - now, .zero) }
            return FailedFetch(error, servesFor: failure.servesFor)
        }
        observer?.fetchEnded(record.name, result)
    }
}
