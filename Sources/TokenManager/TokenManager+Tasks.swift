/// The tasks that a manager starts, all of them here: each begins on the manager's executor, is held by what it works for,
/// and is cancelled with it.
extension TokenManager {
    /// Exchanges a request, and reports the end unless the manager was stopped meanwhile.
    func startExchange(_ request: TokenRequest, for slot: TokenSlot) -> Task<Void, Never> {
        Task {
            let result = await exchange(request)
            if !isStopped { fetchEnded(slot, result) }
        }
    }

    /// Tells a slot the time at an instant.
    func startTimer(for slot: TokenSlot, _ deadline: ContinuousClock.Instant) -> Task<Void, Never> {
        Task {
            guard await sleep(until: deadline) else { return }
            slot.disarm()
            timeReached(slot, clock.now)
            settle(slot)
        }
    }

    /// Looks at the secrets that may change, again and again.
    func startWatch() -> Task<Void, Never> {
        Task {
            while await sleep(until: clock.now + CredentialRecord.checkInterval) { watchSecrets() }
        }
    }

    private func exchange(_ request: TokenRequest) async -> Result<TokenResponse, TokenTransportError> {
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
