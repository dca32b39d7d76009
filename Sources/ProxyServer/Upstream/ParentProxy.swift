import EventTransport
import Logging
import ProxyCore
import Signing
import TokenClient
import TokenManager

/// One parent proxy with its newest credentials.
///
/// Confined to its loop.
final class ParentProxy {
    let settings: UpstreamProxy
    let authorization: ParentAuthorization
    /// The password in a file; nil without one.
    private let file: RereadFile<SecretText>?
    private var generation = 0

    /// - Throws: The reason why its password is unusable.
    init(
        _ settings: UpstreamProxy, _ files: ServedFiles, loop: EventLoop, logger: Logger
    ) throws(TransportError) {
        self.settings = settings
        guard let credentials = settings.credentials else {
            (authorization, file) = (ParentAuthorization(line: []), nil)
            return
        }
        let password = try files.password(credentials.password)
        authorization = ParentAuthorization(line: Self.line(credentials.username, password))
        guard case .file(let path) = credentials.password else {
            file = nil
            return
        }
        file = RereadFile(
            path, holding: try ChangingContent(password) { _ in }, at: loop.now,
            reader: RereadFile.reader(of: [path], on: loop) { Self.read(credentials.password) }
        ) { event in
            switch event {
            case .replaced: logger.notice("password of a parent proxy replaced", metadata: ["file": "\(path)"])
            case .kept(let reason):
                logger.warning(
                    "password of a parent proxy not replaced, the old one is kept", metadata: ["reason": "\(reason)"])
            }
        }
    }

    /// Whether its password may change.
    var isChanging: Bool { file != nil }

    /// Uses the newest password, and begins to read its file again if that is due.
    func renew(at now: MonotonicInstant) {
        guard let file, let credentials = settings.credentials else { return }
        file.renew(at: now)
        guard generation != file.generation else { return }
        generation = file.generation
        authorization.line = Self.line(credentials.username, file.newest)
    }

    /// The proxy on the way of a connection.
    func way(opensTunnel: Bool) -> Connector.Parent {
        Connector.Parent(
            host: settings.host, port: settings.port, opensTunnel: opensTunnel, authorization: authorization.line)
    }

    /// The whole line of the credentials (RFC 7617).
    private static func line(_ username: String, _ password: SecretText) -> [UInt8] {
        let basic = Base64.encode(Array("\(username):\(password.value)".utf8))
        return Array("Proxy-Authorization: Basic \(basic)\r\n".utf8)
    }

    /// Reads a password on the calling thread, which waits for the file system.
    static func read(_ password: Secret) -> Result<SecretText, TransportError> {
        let reader = SystemSecretReader()
        do throws(TokenError) {
            guard case .file(let path) = password else { return .success(SecretText(try reader.readNow(password))) }
            let text = try FileWaits.shared.reading(path) { () throws(TokenError) in try reader.readNow(password) }
            if let problem = SecretLine.problem(text) {
                throw TokenError(kind: .secretUnreadable, message: "the file \(path) \(problem)")
            }
            return .success(SecretText(text))
        } catch {
            return .failure(TransportError(.system, "the password of a parent proxy: \(error.message)"))
        }
    }
}
