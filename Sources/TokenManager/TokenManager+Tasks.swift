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

    /// Cancels fetches that take longer than `patience`.
    func startLimit(_ patience: Duration, of fetches: [Task<Void, Never>]) -> Task<Void, Never> {
        Task {
            guard await sleep(until: clock.now + patience) else { return }
            for fetch in fetches { fetch.cancel() }
        }
    }

    /// Reads a credential's secrets or value; cancelled only at the end, because a file system that hangs may still
    /// answer.
    func startReading(_ record: CredentialRecord) -> Task<Void, Never> {
        Task { await readPlaces(of: record) }
    }

    /// Reports a read that takes longer than `patience`.
    func startLimit(_ patience: Duration, ofReading record: CredentialRecord) -> Task<Void, Never> {
        Task {
            guard await sleep(until: clock.now + patience), !Task.isCancelled else { return }
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

    /// Writes a refresh token to its file.
    func startWriting(_ record: CredentialRecord) -> Task<Void, Never> {
        Task { await writeBack(record) }
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
