/// Keeps a header ready for every configured credential: fetches tokens, refreshes them ahead of time, and answers
/// callers.
///
/// Every key (token server, client, secrets, grant and requested access) has at most one fetch in flight, and further
/// callers wait for it. The work runs on one executor. After `start()`, the manager's own tasks keep it alive, so its
/// owner must call `stop()`.
///
/// ```swift
/// let header = try await tokens.authorizationHeader(for: "cloudant")
/// request.headers[header.name] = header.value
/// ```
public actor TokenManager {
    nonisolated let executor: ManagerExecutor
    let transport: any TokenTransport
    let clock: any TokenClock
    let secrets: any SecretReader
    let writer: any SecretWriter
    let observer: (any TokenObserver)?
    var names: [String]
    var records: [String: CredentialRecord]
    /// The highest version of a credential so far.
    var newestVersion: Int
    /// The replacement of the credentials that is being prepared.
    var replacement: Replacement?
    /// The callers that ask for a credential that is not there yet.
    var early: [Waiter<Void>] = []
    var store: TokenStore
    var waiters = Waiters()
    var timers = EntryTimers()
    /// The fetches in flight, by their entries.
    var fetches: [ObjectIdentifier: Task<Void, Never>] = [:]
    var discovery = EndpointDiscovery()
    var nonces = ServerNonces()
    private(set) var isStarted = false
    private(set) var isStopped = false
    private var random: any RandomNumberGenerator & Sendable
    var watch: Task<Void, Never>?
    /// The work that the first `stop()` and every later one wait for.
    private var stopping: Task<Void, Never>?

    /// The given executor, else one of the default pool.
    public nonisolated var unownedExecutor: UnownedSerialExecutor { executor.unowned }

    /// Creates a manager; nothing is read or fetched yet.
    ///
    /// - Parameters:
    ///   - credentials: The credentials; of two with the same name, only the first is used.
    ///   - cacheSize: How many tokens are kept, at least one. The least recently used one is evicted first, and the
    ///     memory of a refused request value before any token. If there are more keys, `start()` fetches only this
    ///     many, and the others are fetched when a caller asks. While this many tokens of parameterised credentials
    ///     are being fetched, callers with a new value get `TokenError.Kind.tooManyFetches` at once.
    ///   - transport: Sends the requests to token servers.
    ///   - clock: The time.
    ///   - secrets: Reads secrets and token files.
    ///   - writer: Writes new refresh tokens from the token server to their files.
    ///   - observer: Gets every change, on the manager's executor.
    ///   - executor: Runs the manager's work, for instance an event loop; nil for the default pool.
    ///   - random: Spreads refreshes and back-off; a seeded generator makes runs repeatable.
    public init(
        credentials: [CredentialConfiguration], cacheSize: Int = 100, transport: any TokenTransport,
        clock: any TokenClock, secrets: any SecretReader = SystemSecretReader(),
        writer: any SecretWriter = SystemSecretWriter(),
        observer: (any TokenObserver)? = nil, executor: (any SerialExecutor)? = nil,
        random: any RandomNumberGenerator & Sendable = SystemRandomNumberGenerator()
    ) {
        self.executor = ManagerExecutor(executor)
        self.transport = transport
        self.clock = clock
        self.secrets = secrets
        self.writer = writer
        self.observer = observer
        self.random = random
        store = TokenStore(capacity: cacheSize)
        var names: [String] = []
        var records: [String: CredentialRecord] = [:]
        for credential in credentials where records[credential.name] == nil {
            records[credential.name] = CredentialRecord(credential, version: names.count)
            names.append(credential.name)
        }
        self.names = names
        self.records = records
        newestVersion = names.count - 1
    }

    /// Fetches every credential now, and keeps it fresh from then on, whether or not requests come.
    ///
    /// Without it, tokens are fetched and refreshed when a caller asks, and the observer learns only then that a
    /// token has ended.
    public func start() {
        guard !isStarted, !isStopped else { return }
        isStarted = true
        watchSecrets()
        let now = clock.now
        for name in names {
            if let record = records[name] { perform(store.prefetch(record.holder, now), now) }
        }
        watchFiles()
    }

    /// Ends all background work and answers all waiting callers with an error; the manager cannot be started again.
    ///
    /// It returns at once unless a new refresh token from a server might be lost, without which no further token can
    /// be fetched. If a refresh token was sent, it waits for the response, for at most 5 s. Then it waits until every
    /// new one is in its file, or has failed to be written once more, for as long as the disk takes. A second call
    /// waits for the same work.
    public func stop() async {
        let ending = stopping ?? startEnd(of: beginStop(), credentials)
        stopping = ending
        await end(of: ending)
    }

    /// - Returns: The fetches that may bring a refresh token.
    private func beginStop() -> [Task<Void, Never>] {
        isStopped = true
        watch?.cancel()
        watch = nil
        for reading in discovery.readings.values { reading.cancel() }
        for record in records.values { record.watch.stop() }
        resumeEarly()
        abandonReplacement()
        var rotations: [Task<Void, Never>] = []
        for (entry, waiting) in store.stop() {
            timers.clear(entry)
            if let fetch = fetches[entry.id], entry.secrets[.refreshToken] != nil {
                rotations.append(fetch)
            } else {
                fetches[entry.id]?.cancel()
            }
            waiters.answer(waiting, .failed(stopError))
        }
        return rotations
    }

    /// The header for a credential, at once or after the one fetch that is in flight for it.
    ///
    /// A caller that is cancelled while it waits gets an error at once; the fetch continues for the others. While the
    /// token server fails, callers get its error at once with the time of the next attempt.
    ///
    /// - Parameters:
    ///   - name: The credential's name.
    ///   - request: The values of the request that the header is for; they matter only if the credential is
    ///     parameterised, or fetches a token on behalf of the request's sender.
    /// - Returns: The field to send, usable for at least a moment.
    /// - Throws: `TokenError` with what failed and what to do.
    public func authorizationHeader(
        for name: String, request: RequestParameters = RequestParameters()
    ) async throws(TokenError) -> AuthorizationHeader {
        try await authorizationHeader(for: name, version: nil, request: request)
    }

    /// The header for a credential of one version, as `authorizationHeader(for:request:)`; nil for any version.
    package func authorizationHeader(
        for name: String, version: Int?, request: RequestParameters
    ) async throws(TokenError) -> AuthorizationHeader {
        guard let credential = try await record(name, version: version) else {
            throw TokenError(credential: name, kind: .unknownCredential, message: "no credential has this name")
        }
        while !isStopped {
            check(credential, clock.now)
            try await awaitReading(of: credential)
            guard !isStopped else { break }
            if credential.isRetired { throw retired(name) }
            let now = clock.now
            switch credential.kind {
            case .broken(let error): throw error
            case .local: return try localHeader(credential, now)
            case .grant: break
            }
            let holder = try holder(of: credential, for: request, now)
            guard let entry = store.useEntry(of: holder) else { throw secretMissing(credential) }
            let id = waiters.next()
            let acquired = store.acquire(entry, id, now)
            perform(acquired.actions, now)
            switch acquired.caller {
            case .token(let token): return header(credential, holder, token, entry, now)
            case .failed(let error): throw error.named(name)
            case .parked:
                switch await waiters.park(id).answer() {
                case .token(let token):
                    // The answer may have waited on the executor for longer than the token lives; then ask again.
                    let now = clock.now
                    if now < token.usableUntil { return header(credential, holder, token, entry, now) }
                case .failed(let error):
                    // If the secret has changed meanwhile, the answer for the old one does not matter.
                    if isStopped || credential.isRetired || holder.key == entry.key { throw error.named(name) }
                case nil:
                    switch store.waiterLeft(entry, id) {
                    case .forget: waiters.forget(id)
                    case .none: break
                    }
                    throw cancelled(credential)
                }
            }
        }
        throw stopError.named(name)
    }

    /// The holder for a request: the credential itself, or one of its variants.
    private func holder(
        of credential: CredentialRecord, for request: RequestParameters, _ now: ContinuousClock.Instant
    ) throws(TokenError) -> TokenHolder {
        guard let variants = credential.variants else { return credential.holder }
        if let known = variants.holder(for: request) {
            if let end = known.variant?.end, now >= end { throw variants.subjectEnded }
            return known
        }
        guard let secrets = credential.holder.secrets else { throw secretMissing(credential) }
        let variant = try variants.variant(for: request, now, unixTime: clock.unixTime)
        let holder = variants.keep(variant)
        perform(store.secretsRead(variant.secrets(secrets), of: holder, variant.grant, now), now)
        return holder
    }

    /// The header of a kept token; for a variant, with the time to ask again.
    private func header(
        _ credential: CredentialRecord, _ holder: TokenHolder, _ token: AccessToken, _ entry: StoredEntry,
        _ now: ContinuousClock.Instant
    ) -> AuthorizationHeader {
        credential.configuration.header(token, askAgainAt: store.askAgainAt(holder, entry, now))
    }

    /// Requests were served with copies of these values' tokens, which counts as a use.
    ///
    /// - Parameters:
    ///   - name: The credential's name.
    ///   - requests: The values of the requests, the latest last.
    public func used(_ name: String, by requests: [RequestParameters]) {
        used(name, version: nil, by: requests)
    }

    /// Notes uses of a credential of one version, as `used(_:by:)`; nil for any version.
    package func used(_ name: String, version: Int?, by requests: [RequestParameters]) {
        guard let credential = record(name), version == nil || credential.version == version else { return }
        for request in requests {
            if let holder = credential.knownHolder(for: request) { store.used(holder) }
        }
    }

    /// The header for a credential of one version, after uses were noted.
    ///
    /// One call, so that no replacement of the credentials comes between a report of uses and the question.
    package func authorizationHeader(
        for name: String, version: Int, request: RequestParameters, noting uses: [Uses]
    ) async throws(TokenError) -> AuthorizationHeader {
        for use in uses { used(use.name, version: use.version, by: use.requests) }
        return try await authorizationHeader(for: name, version: version, request: request)
    }

    /// The error for a caller that was cancelled while it waited.
    func cancelled(_ record: CredentialRecord) -> TokenError {
        TokenError(
            credential: record.name, kind: .cancelled, message: "the caller was cancelled while it waited")
    }

    /// The error for every caller that asks or waits after the end.
    nonisolated var stopError: TokenError { TokenError(kind: .stopped, message: "the token manager was stopped") }

    /// All credentials, in the order of the configuration.
    var credentials: [CredentialRecord] { names.compactMap { records[$0] } }

    func record(_ name: String) -> CredentialRecord? { records[name] }

    /// A random number in 0..<1.
    func randomFraction() -> Double { Double.random(in: 0..<1, using: &random) }

    /// Reads the secrets that may have changed.
    func watchSecrets() {
        let now = clock.now
        for name in names {
            guard let record = records[name] else { continue }
            check(record, now)
            // A value that is being read may replace one that expires now.
            if !record.watch.isAwaited { timeReached(record, now) }
        }
    }
}

extension TokenManager: CustomReflectable {
    /// The type alone: a manager holds secrets and tokens.
    public nonisolated var customMirror: Mirror { Mirror(self, children: []) }
}
