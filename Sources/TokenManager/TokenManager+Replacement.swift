/// Replaces the credentials of a running manager, whose configuration was read again.
extension TokenManager {
    /// A credential whose version tells it from others with its name, before and after it.
    package struct Versioned: Sendable {
        package let configuration: CredentialConfiguration
        package let version: Int

        package init(_ configuration: CredentialConfiguration, version: Int) {
            self.configuration = configuration
            self.version = version
        }
    }

    /// Requests that were served with copies of a credential's tokens.
    package struct Uses: Sendable {
        package let name: String
        package let version: Int
        /// The values of the requests, the latest last.
        package let requests: [RequestParameters]

        package init(_ name: String, version: Int, by requests: [RequestParameters]) {
            self.name = name
            self.version = version
            self.requests = requests
        }
    }

    /// Prepares to replace all credentials; `replaceCredentials` or `abandonReplacement` must follow.
    ///
    /// Until then, Attaché sends no refresh token of a credential that the replacement removes. This waits up to 5 s for
    /// the answers of token servers that have one already, and until every new refresh token is in its file.
    ///
    /// - Parameter credentials: All credentials from then on; a new one has a higher version than all before it.
    /// - Throws: `TokenError` if a refresh token would be lost; then nothing has changed.
    package func prepareReplacement(by credentials: [Versioned]) async throws(TokenError) {
        guard !isStopped else { throw stopError }
        precondition(replacement == nil, "two replacements of the credentials were prepared at once")
        let replacement = Replacement(credentials)
        self.replacement = replacement
        let rotating = self.credentials.filter { replacement.removes($0) && $0.rotation.path != nil }
        tryWriting(rotating)
        let limit = startLimit(RefreshTokenRotation.timeout, of: replacement)
        while !isStopped, !replacement.isTimeOver, rotating.contains(where: { isRotating($0) }) {
            await end(ofChange: replacement)
        }
        limit.cancel()
        guard !isStopped else { throw stopError }
        guard let error = rotating.lazy.compactMap({ self.loss(of: $0) }).first else { return }
        abandonReplacement()
        throw error
    }

    /// Forgets a prepared replacement; all credentials go on as before.
    package func abandonReplacement() {
        replacement?.end()
        replacement = nil
    }

    /// Replaces all credentials by those of the prepared replacement.
    ///
    /// Those whose versions stay keep their tokens and times. The others begin anew, but keep the counts of their names. A credential that goes is
    /// neither fetched nor published any more, and the observer keeps its copies.
    ///
    /// - Parameters:
    ///   - cacheSize: How many tokens are kept from now on.
    ///   - apply: Called when the old credentials have gone and before a new one is used.
    package func replaceCredentials(cacheSize: Int, apply: @Sendable () -> Void) {
        guard !isStopped else { return }
        guard let replacement else { preconditionFailure("the credentials are replaced without a preparation") }
        let tallies = records.mapValues(\.tally)
        for record in credentials where replacement.removes(record) { retire(record) }
        apply()
        install(replacement.credentials, after: tallies)
        perform(store.resize(cacheSize), clock.now)
        abandonReplacement()
        resumeEarly()
    }

    /// Waits as long as a replacement forbids to send an entry's refresh token.
    ///
    /// - Throws: `FetchFailure` if no credential needs the token any more.
    func awaitReplacement(of entry: StoredEntry) async throws(FetchFailure) {
        while let replacement, isHeld(entry) {
            replacement.changed()
            guard await end(of: replacement.hold()) else {
                throw FetchFailure(
                    error: TokenError(kind: .cancelled, message: "the fetch was cancelled while it waited"),
                    isLocal: true)
            }
            guard isStopped || store.holders.isWanted(entry.key) else {
                throw FetchFailure(error: retired(""), isLocal: true)
            }
        }
    }

    /// Whether a replacement forbids to send an entry's refresh token.
    func isHeld(_ entry: StoredEntry) -> Bool {
        guard let replacement, entry.secrets[.refreshToken] != nil else { return false }
        return credentials(of: entry).contains { replacement.removes($0) }
    }

    /// Whether the token server has a refresh token that it may replace, or its successor is on the way to the file.
    private func isRotating(_ record: CredentialRecord) -> Bool {
        record.rotation.isUnderWay || isSpending(record)
    }

    private func isSpending(_ record: CredentialRecord) -> Bool {
        store.entry(of: record.holder)?.isSpendingRefreshToken ?? false
    }

    /// Why the refresh token in use would be lost with the credential; nil if it is in its file.
    private func loss(of record: CredentialRecord) -> TokenError? {
        guard let path = record.rotation.path else { return nil }
        let seconds = RefreshTokenRotation.timeout.components.seconds
        let message: String
        if record.rotation.isUnderWay {
            message =
                "its new refresh token is only in memory, because the write to \(path) takes longer than \(seconds) s: "
                + "look at the file system, and reload again"
        } else if isSpending(record) {
            message =
                "the token server has received its refresh token and not answered for \(seconds) s: wait for the "
                + "answer, and reload again"
        } else if record.rotation.isUnsaved {
            let reason = record.rotation.error.map { " (\($0.message))" } ?? ""
            message =
                "its new refresh token is only in memory, because \(path) cannot be written\(reason): make the file "
                + "writable, and reload again"
        } else {
            return nil
        }
        return TokenError(credential: record.name, kind: .secretUnwritable, message: message)
    }

    private func retire(_ record: CredentialRecord) {
        record.retire()
        var actions: [TokenStore.Action] = []
        for variant in record.variants?.holders ?? [] {
            store.retire(variant, &actions)
            if let variant = variant.variant { record.variants?.forget(variant) }
        }
        store.retire(record.holder, &actions)
        perform(actions, clock.now)
        records[record.name] = nil
    }

    private func install(_ credentials: [Versioned], after tallies: [String: FetchTally]) {
        let now = clock.now
        names = credentials.map(\.configuration.name)
        for credential in credentials {
            newestVersion = max(newestVersion, credential.version)
            if let record = records[credential.configuration.name] {
                record.setRequired(credential.configuration.isRequired)
                continue
            }
            let record = CredentialRecord(credential.configuration, version: credential.version)
            if let tally = tallies[record.name] { record.tally.continueCounts(of: tally) }
            records[record.name] = record
            if isStarted { check(record, now) }
        }
        if isStarted { watchFiles() }
    }

    /// Begins to look for changed files, if a credential has one.
    func watchFiles() {
        if watch == nil, records.values.contains(where: { $0.kind.isWatched }) { watch = startWatch() }
    }

    /// The credential of a name and version; nil for any version.
    ///
    /// A worker may ask for a new version a moment before the manager has it: such a caller waits.
    ///
    /// - Throws: `TokenError` if another version has taken its place, or if the caller was cancelled.
    func record(_ name: String, version: Int?) async throws(TokenError) -> CredentialRecord? {
        guard let version else { return record(name) }
        while version > newestVersion, !isStopped {
            let waiter = Waiter<Void>()
            early.append(waiter)
            guard await end(of: waiter) else {
                throw TokenError(
                    credential: name, kind: .cancelled, message: "the caller was cancelled while it waited")
            }
        }
        guard !isStopped else { throw stopError.named(name) }
        guard let found = record(name), found.version == version else { throw retired(name) }
        return found
    }

    func resumeEarly() {
        let waiting = early
        early = []
        for waiter in waiting { waiter.resume(()) }
    }

    func retired(_ name: String) -> TokenError {
        TokenError(
            credential: name, kind: .unknownCredential,
            message: "the configuration changed the credential while the request waited: send the request again")
    }
}
