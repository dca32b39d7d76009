import EventTransport
import HTTPWire
import ProxyConfiguration
import ProxyCore
import Signing
import TokenManager

/// The users of a listener's password file, as one worker knows them.
///
/// Confined to the worker's loop. `PasswordWatch` reads the file again, once for all workers.
final class PasswordFile {
    private var digests: PasswordDigests
    /// Increases with every change of the users or their passwords.
    private(set) var generation = 0

    /// The files of listeners, by their paths; a file that was read before is kept.
    ///
    /// - Throws: The reason why a file is unusable.
    static func files(
        of listeners: [ListenerConfiguration], keeping known: [String: PasswordFile] = [:], _ read: ServedFiles
    ) throws(TransportError) -> [String: PasswordFile] {
        var files: [String: PasswordFile] = [:]
        for path in listeners.compactMap(\.passwordFile) where files[path] == nil {
            files[path] = if let file = known[path] { file } else { PasswordFile(try read.users(path)) }
        }
        return files
    }

    private init(_ digests: PasswordDigests) { self.digests = digests }

    /// The file has another content.
    func replace(by digests: PasswordDigests) {
        guard digests != self.digests else { return }
        self.digests = digests
        generation += 1
    }

    /// The user that a request names in its `Proxy-Authorization`, with the right password (RFC 7617).
    ///
    /// - Throws: The refusal of the request.
    func user(of head: borrowing RequestHead, in bytes: Span<UInt8>) throws(ProxyError) -> String {
        guard let field = head.fields.first(.proxyAuthorization) else { throw LoginRefusals.missing }
        // Of two, even of two that are equal, a proxy before this one may have checked the other.
        var count = 0
        for index in 0..<head.fields.count where head.fields[index].known == .proxyAuthorization { count += 1 }
        guard count == 1 else { throw LoginRefusals.repeated }
        guard let sent = Self.basic(field.value, in: bytes) else { throw LoginRefusals.notBasic }
        guard let user = digests.user(with: sent) else { throw LoginRefusals.wrong }
        return user
    }

    /// Whether the file has a line of this user.
    func names(_ user: String) -> Bool { digests.names(user) }

    /// What follows `Basic` and its spaces; nil for another scheme.
    private static func basic(_ value: ByteRange, in bytes: Span<UInt8>) -> [UInt8]? {
        var text: [UInt8] = []
        text.append(copying: bytes, value)
        guard text.count > 6, text[5] == ASCII.space,
            zip(text, "basic".utf8).allSatisfy({ $0 | 0x20 == $1 })
        else { return nil }
        return Array(text[5...].drop { $0 == ASCII.space })
    }
}

/// The users and passwords of a file as digests, from which no password can be read.
struct PasswordDigests: Equatable, Sendable {
    /// Another one in each process, so that a digest says nothing elsewhere.
    private static let key = SecureRandom.bytes(SHA256.byteCount)

    private let users: [String]
    /// The digests of all lines, one behind the other.
    private let digests: [UInt8]

    init(_ lines: PasswordLines) {
        users = lines.users
        digests = lines.credentials.flatMap { Self.digest(of: Array(Base64.encode($0).utf8)) }
    }

    /// Reads a password file on the calling thread, which waits for the file system.
    static func read(_ path: String) -> Result<PasswordDigests, TransportError> {
        let problem: String
        do throws(SecretFile.Problem) {
            let bytes = try FileWaits.shared.reading(path) { () throws(SecretFile.Problem) in
                try SecretFile.read(path, atMost: PasswordLines.byteLimit)
            }
            do throws(PasswordLines.Problem) {
                return .success(PasswordDigests(try PasswordLines(bytes)))
            } catch {
                problem = error.message
            }
        } catch {
            problem = text(of: error)
        }
        return .failure(TransportError(.system, "the users of a listener: the file \(path) \(problem)"))
    }

    private static func text(of problem: SecretFile.Problem) -> String {
        switch problem {
        case .missing: "cannot be found; create it, or correct the path"
        case .forbidden: "cannot be read; let the user of attache read it"
        case .notRegular: "is not a regular file; name a file with lines user:password"
        case .tooLarge: "is larger than \(PasswordLines.byteLimit / 1024) KiB; it must hold only lines user:password"
        case .system(let code): "cannot be read (\(SecretFile.words(code))); look at the file system that holds it"
        }
    }

    func names(_ user: String) -> Bool { users.contains(user) }

    /// The user whose name and password were sent in Base64; nil if no line has them.
    ///
    /// Compares all bytes of all lines, so the time depends neither on the user nor on the password.
    func user(with sent: [UInt8]) -> String? {
        let digest = Self.digest(of: sent)
        var found = 0
        for line in 0..<(digests.count / SHA256.byteCount) {
            var difference: UInt8 = 0
            for index in 0..<SHA256.byteCount { difference |= digest[index] ^ digests[line * SHA256.byteCount + index] }
            // All bits are set if there is no difference.
            let mask = (Int(difference) - 1) >> (Int.bitWidth - 1)
            found = found & ~mask | (line + 1) & mask
        }
        return found == 0 ? nil : users[found - 1]
    }

    private static func digest(of text: [UInt8]) -> [UInt8] { HMACSHA256.code(of: text, key: key) }
}

/// The errors of requests without the right user name and password for the proxy.
enum LoginRefusals {
    static let missing = ProxyError(
        .loginRequired,
        "This proxy demands a user name and a password, and the request has none. Write them into the app's setting of the proxy, "
            + "as in HTTP_PROXY=http://user:password@127.0.0.1:3128")
    static let notBasic = ProxyError(
        .loginRequired,
        "The request's Proxy-Authorization does not have the scheme Basic, which this proxy demands; write user name and password "
            + "into the app's setting of the proxy")
    static let repeated = ProxyError(
        .loginRequired,
        "The request has more than one Proxy-Authorization field, and even equal ones do not say which proxy they are for; correct "
            + "the app, or the proxy before this one, so that it sends one user name and password")
    static let wrong = ProxyError(
        .loginRequired,
        "The user name or the password for this proxy is wrong; correct the app's setting of the proxy, or the listener's "
            + "passwordFile")
    static let gone = ProxyError(
        .loginRequired,
        "The user name that opened this tunnel is no longer in the listener's passwordFile; open another tunnel with a user name "
            + "from the file")
}
