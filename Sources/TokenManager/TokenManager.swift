/// Keeps an authorization header ready for every configured credential.
public actor TokenManager {
    private nonisolated let executor: ManagerExecutor

    /// The executor that was given, else one of the default pool.
    public nonisolated var unownedExecutor: UnownedSerialExecutor { executor.unowned }

    /// Creates a manager.
    public init(
        credentials: [CredentialConfiguration], cacheSize: Int = 100, transport: any TokenTransport,
        clock: any TokenClock, secrets: any SecretReader = SystemSecretReader(),
        observer: (any TokenObserver)? = nil, executor: (any SerialExecutor)? = nil,
        random: any RandomNumberGenerator & Sendable = SystemRandomNumberGenerator()
    ) {
        self.executor = ManagerExecutor(executor)
    }

    /// Fetches every credential now, and keeps it fresh whether or not requests come.
    public func start() {}

    /// Ends all background work and answers everybody who waits.
    public func stop() {}

    /// The header for a credential.
    public func authorizationHeader(for name: String) async throws(TokenError) -> AuthorizationHeader {
        throw TokenError(credential: name, kind: .unknownCredential, message: "no such credential is configured")
    }

    /// How every credential is doing, in the order of the configuration.
    public func status() -> [CredentialStatus] { [] }
}
