import EventTransport
import ProxyConfiguration
import ProxyCore
import Signing
import TokenManager

/// What the files of one configuration hold, read before a worker prepares its rules, so that no loop waits for a file
/// system.
///
/// A file that was not read is read when it is asked for, on the calling thread.
struct ServedFiles: Sendable {
    private var users: [String: Result<PasswordDigests, TransportError>] = [:]
    private var authorities: [String: Result<TrustedAuthorities, TransportError>] = [:]
    private var certificates: [ClientCertificateFiles: Result<PresentedCertificate, TransportError>] = [:]
    /// The passwords of parent proxies, by the paths of their files.
    private var passwords: [String: Result<SecretText, TransportError>] = [:]

    /// No file has been read.
    init() {}

    /// Reads the files on the calling thread, which waits for the file system.
    init(of configuration: Configuration) {
        for path in configuration.listeners.compactMap(\.passwordFile) where users[path] == nil {
            users[path] = PasswordDigests.read(path)
        }
        for tls in configuration.routes.map(\.tls) {
            if let path = tls.caFile, authorities[path] == nil { authorities[path] = Self.readAuthorities(path) }
            if let pair = tls.clientCertificate, certificates[pair] == nil {
                certificates[pair] = ClientIdentity.read(pair)
            }
        }
        let proxies =
            configuration.routes.map(\.upstreamProxy) + [configuration.upstreamProxy, configuration.tokenServerProxy]
        for case .file(let path)? in proxies.map({ $0?.credentials?.password }) where passwords[path] == nil {
            passwords[path] = ParentProxy.read(.file(path: path))
        }
    }

    /// - Throws: The reason why the file is unusable.
    func users(_ path: String) throws(TransportError) -> PasswordDigests {
        try (users[path] ?? PasswordDigests.read(path)).get()
    }

    /// - Throws: The reason why the file is unusable.
    func authorities(_ path: String) throws(TransportError) -> TrustedAuthorities {
        try (authorities[path] ?? Self.readAuthorities(path)).get()
    }

    /// - Throws: The reason why a file is unusable.
    func certificate(_ files: ClientCertificateFiles) throws(TransportError) -> PresentedCertificate {
        try (certificates[files] ?? ClientIdentity.read(files)).get()
    }

    /// - Throws: The reason why the file is unusable.
    func password(_ password: Secret) throws(TransportError) -> SecretText {
        guard case .file(let path) = password, let known = passwords[path] else {
            return try ParentProxy.read(password).get()
        }
        return try known.get()
    }

    private static func readAuthorities(_ path: String) -> Result<TrustedAuthorities, TransportError> {
        FileWaits.shared.reading(path) { TrustedAuthorities.reading(path) }
    }
}
