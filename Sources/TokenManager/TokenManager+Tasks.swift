/// The tasks that a manager starts, all of them here: each begins on the manager's executor, is held by what it works for,
/// and is cancelled with it.
extension TokenManager {
    /// Fetches a slot's token, and reports the end unless the manager was stopped meanwhile.
    func startFetch(for slot: TokenSlot) -> Task<Void, Never> {
        Task {
            let startedAt = clock.now
            let result = await fetch(slot)
            for record in holders[slot.key] ?? [] { observer?.fetchTook(record.name, clock.now - startedAt) }
            // Even when the manager was stopped: the server may take the old refresh token no more.
            await keep(Self.refreshToken(of: result), of: slot)
            if !isStopped { fetchEnded(slot, result) }
        }
    }

    private static func refreshToken(of result: Result<TokenAnswer.Grant, FetchFailure>) -> SecretText? {
        switch result {
        case .success(let granted): granted.refreshToken
        case .failure(let failure): failure.refreshToken
        }
    }

    /// Reads an issuer's metadata, once for all who want it meanwhile.
    func startDiscovery(_ key: MetadataKey) -> Discovery {
        let discovery = Task {
            defer { discoveries[key] = nil }
            do throws(FetchFailure) {
                return Result<ServerMetadata, FetchFailure>.success(try await discover(key))
            } catch {
                return .failure(error)
            }
        }
        discoveries[key] = discovery
        return discovery
    }

    /// Waits for the end of a reading that others may wait for too.
    func end(of discovery: Discovery) async -> Result<ServerMetadata, FetchFailure> {
        await withTaskExecutorPreference(executor.preference) { await discovery.value }
    }

    /// Waits for the end of a fetch, a writing or the whole work.
    func end(of task: Task<Void, Never>) async {
        await withTaskExecutorPreference(executor.preference) { await task.value }
    }

    /// Cancels fetches that take longer.
    func startLimit(_ patience: Duration, of fetches: [Task<Void, Never>]) -> Task<Void, Never> {
        Task {
            guard await sleep(until: clock.now + patience) else { return }
            for fetch in fetches { fetch.cancel() }
        }
    }

    /// Writes a refresh token to its file.
    func startWriting(_ record: CredentialRecord) -> Task<Void, Never> {
        Task { await writeBack(record) }
    }

    /// Brings what was sent to token servers to a safe end.
    func startEnd(of rotations: [Task<Void, Never>], _ records: [CredentialRecord]) -> Task<Void, Never> {
        Task {
            await finish(rotations)
            await finishWriting(records)
        }
    }

    /// Tells a slot the time at an instant.
    func startTimer(for slot: TokenSlot, _ deadline: ContinuousClock.Instant) -> Task<Void, Never> {
        Task {
            guard await sleep(until: deadline) else { return }
            timerFired(slot)
        }
    }

    /// Looks at the secrets that may change, again and again.
    func startWatch() -> Task<Void, Never> {
        Task {
            while await sleep(until: clock.now + CredentialRecord.checkInterval) { watchSecrets() }
        }
    }

    /// Carries one request.
    func exchange(_ request: TokenRequest) async -> Result<TokenResponse, TokenTransportError> {
        await withTaskExecutorPreference(executor.preference) {
            do throws(TokenTransportError) {
                return .success(try await transport.exchange(request))
            } catch {
                return .failure(error)
            }
        }
    }

    /// False if the task was cancelled meanwhile.
    private func sleep(until deadline: ContinuousClock.Instant) async -> Bool {
        await withTaskExecutorPreference(executor.preference) {
            do { try await clock.sleep(until: deadline) } catch { return false }
            return !Task.isCancelled
        }
    }
}
