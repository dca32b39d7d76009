import EventTransport
import HTTPWire
import Logging
import ProxyConfiguration
import ProxyCore
import Signing
import TokenClient
import TokenManager

/// The users of a listener's password file, which is read again when it changes.
///
/// Confined to the worker's loop.
final class PasswordFile {
    private let file: RereadFile<PasswordDigests>

    /// - Throws: The reason why the file is unusable.
    init(_ path: String, loop: EventLoop, logger: Logger) throws(TransportError) {
        let first = try FileWaits.shared.reading(path) { () throws(TransportError) in try Self.read(path) }
        file = RereadFile(path, holding: try ChangingContent(first) { _ in }, at: loop.now) { done in
            FileThreads.shared.submit({ Self.result(path) }, for: loop, done)
        } log: { event in
            switch event {
            case .replaced: logger.notice("users of a listener replaced", metadata: ["file": "\(path)"])
            case .kept(let reason):
                logger.warning(
                    "users of a listener not replaced, the old ones are kept", metadata: ["reason": "\(reason)"])
            }
        }
    }

    /// The user that a request names in its `Proxy-Authorization`, with the right password (RFC 7617).
    ///
    /// - Throws: The refusal of the request.
    func user(of head: borrowing RequestHead, in bytes: Span<UInt8>, at now: MonotonicInstant) throws(ProxyError)
        -> String
    {
        file.renew(at: now)
        guard let field = head.fields.first(.proxyAuthorization) else { throw LoginRefusals.missing }
        for index in 0..<head.fields.count where head.fields[index].known == .proxyAuthorization {
            // Of two, a proxy before this one may have checked the other.
            guard head.fields[index].value == field.value else { throw LoginRefusals.wrong }
        }
        guard let sent = Self.basic(field.value, in: bytes) else { throw LoginRefusals.notBasic }
        guard let user = file.newest.user(with: sent) else { throw LoginRefusals.wrong }
        return user
    }

    /// What follows `Basic` and its spaces; nil for another scheme.
    private static func basic(_ value: ByteRange, in bytes: Span<UInt8>) -> [UInt8]? {
        var text: [UInt8] = []
        text.append(copying: bytes, value)
        guard text.count > 6, text[5] == ASCII.space,
            zip(text, "basic".utf8).allSatisfy({ $0 | 0x20 == $1 })
        else { return nil }
        return Array(text[5...].drop { $0 == ASCII.space })
    }

    private static func result(_ path: String) -> Result<PasswordDigests, TransportError> {
        do throws(TransportError) {
            return .success(try read(path))
        } catch {
            return .failure(error)
        }
    }

    private static func read(_ path: String) throws(TransportError) -> PasswordDigests {
        let text: String
        do throws(TokenError) {
            text = try SystemSecretReader().readNow(.file(path: path))
        } catch {
            throw TransportError(.system, "the users of a listener: \(error.message)")
        }
        do throws(PasswordLines.Problem) {
            return PasswordDigests(try PasswordLines(Array(text.utf8)))
        } catch {
            throw TransportError(.system, "the users of a listener: the file \(path) \(error.message)")
        }
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
    static let wrong = ProxyError(
        .loginRequired,
        "The user name or the password for this proxy is wrong; correct the app's setting of the proxy, or the listener's "
            + "passwordFile")
}
