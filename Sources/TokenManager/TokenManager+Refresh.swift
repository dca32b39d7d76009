/// A fetch that an operator asks for.
extension TokenManager {
    /// What became of it.
    package enum RefreshOutcome: Equatable, Sendable {
        /// A new token is in use, or the value in the file was read again.
        case renewed
        /// The credential has nothing to fetch, for this reason.
        case impossible(String)
        /// No token came; a usable old one is still served.
        case failed(TokenError)
    }

    /// Fetches a credential's token now, even while a back-off runs, or joins the fetch in flight.
    ///
    /// The manager first reads the files of secrets again. It serves the old token until the new one is there.
    ///
    /// - Parameter name: The credential's name.
    /// - Returns: The outcome, after the end of the fetch.
    package func refreshNow(_ name: String) async -> RefreshOutcome {
        guard !isStopped else { return .failed(stopError.named(name)) }
        guard let record = record(name) else { return .impossible("no credential has this name") }
        switch record.kind {
        case .broken(let error): return .failed(error)
        case .local(let place, _):
            guard place.isFile else { return .impossible("its value is fixed, and nothing is fetched") }
            await readAgain(record)
            return record.problem.map { RefreshOutcome.failed($0) } ?? .renewed
        case .grant: break
        }
        guard record.variants == nil else {
            return .impossible("its tokens depend on requests, and are fetched when a request needs them")
        }
        await readAgain(record)
        guard !isStopped, !record.isRetired else { return .failed(ended(name)) }
        guard let entry = store.useEntry(of: record.holder) else {
            return .failed(record.watch.error?.named(name) ?? cancelled(record))
        }
        let (succeeded, failed) = (record.tally.succeeded, record.tally.failed)
        perform(store.refreshRequested(entry, clock.now), clock.now)
        if let fetch = fetches[entry.id] { await end(of: fetch) }
        guard !isStopped, !record.isRetired else { return .failed(ended(name)) }
        if record.tally.succeeded > succeeded { return .renewed }
        guard record.tally.failed > failed, let error = record.tally.lastError else { return .failed(keyChanged(name)) }
        return .failed(error)
    }

    private func ended(_ name: String) -> TokenError { isStopped ? stopError.named(name) : retired(name) }

    private func keyChanged(_ name: String) -> TokenError {
        TokenError(
            credential: name, kind: .cancelled,
            message: "a secret changed during the fetch, and a fetch with the new one has begun")
    }
}
