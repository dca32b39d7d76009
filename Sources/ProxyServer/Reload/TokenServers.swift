import EventTransport
import Locking
import Logging
import ProxyConfiguration
import ProxyCore
import TokenClient
import TokenManager

/// The way to token servers, which another configuration may replace; a fetch in flight ends on the old one.
final class TokenServers: TokenTransport {
    /// A client with the settings that it was made with.
    struct Client: Sendable {
        fileprivate let client: LoopTokenClient
        fileprivate let settings: Settings
    }

    fileprivate struct Settings: Equatable, Sendable {
        let resolve: [NameOverride]
        let proxy: UpstreamProxy?
        let connectTimeout: Duration
        let answerTimeout: Duration

        init(_ configuration: Configuration) {
            resolve = configuration.resolve
            proxy = configuration.tokenServerProxy
            connectTimeout = configuration.limits.connectTimeout
            answerTimeout = configuration.limits.tokenServerTimeout
        }
    }

    private let current: Locked<Client>
    private let own: OwnIdentity
    private let names: NameCounts
    private let loop: EventLoop
    private let logger: Logger

    /// - Throws: If the password of a parent proxy is unusable.
    init(
        _ configuration: Configuration, _ files: ServedFiles, avoiding own: OwnIdentity, counting names: NameCounts,
        loop: EventLoop, logger: Logger
    ) throws(TransportError) {
        self.own = own
        self.names = names
        self.loop = loop
        self.logger = logger
        current = Locked(try Self.client(Settings(configuration), files, own, names, loop, logger))
    }

    /// The client in use if it suits a configuration, or another one.
    ///
    /// - Throws: If the password of a parent proxy is unusable.
    func client(for configuration: Configuration, _ files: ServedFiles) throws(TransportError) -> Client {
        let settings = Settings(configuration)
        let client = current.withLock { $0 }
        return client.settings == settings ? client : try Self.client(settings, files, own, names, loop, logger)
    }

    /// Sends all further requests through a client.
    func use(_ client: Client) { current.withLock { $0 = client } }

    func exchange(_ request: TokenRequest) async throws(TokenTransportError) -> TokenResponse {
        try await current.withLock { $0.client }.exchange(request)
    }

    private static func client(
        _ settings: Settings, _ files: ServedFiles, _ own: OwnIdentity, _ names: NameCounts, _ loop: EventLoop,
        _ logger: Logger
    ) throws(TransportError) -> Client {
        Client(
            client: LoopTokenClient(
                loop: loop, connectTimeout: settings.connectTimeout, answerTimeout: settings.answerTimeout,
                overrides: AddressOverrides(settings.resolve), avoiding: own, counting: names,
                parent: try TokenServerParent(settings.proxy, files, loop: loop, logger: logger).find,
                caFileRefused: { reason in
                    logger.warning(
                        "certificate authorities of a token server not replaced, the old ones are kept",
                        metadata: ["reason": "\(reason)"])
                }),
            settings: settings)
    }
}
