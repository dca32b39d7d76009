import FoundationEssentials
import Signing

/// Reads secrets from the file system and from the environment of this process.
///
/// It reads only regular files, because a pipe would block everything else, and only small ones, because no larger
/// secret fits into a header field.
public struct SystemSecretReader: SecretReader {
    /// The largest file that is read, in bytes.
    public static let longestFile = 65_536

    /// Creates a reader.
    public init() {}

    /// The secret's text, without one line break at its end; a file is read on a thread of its own.
    ///
    /// - Parameter secret: The secret to read.
    /// - Returns: The text, never empty.
    /// - Throws: `TokenError` of kind `secretUnreadable` that names the file or variable and what to do; of kind
    ///   `cancelled` if the task is cancelled first.
    public func read(_ secret: Secret) async throws(TokenError) -> String {
        guard secret.isFile else { return try readNow(secret) }
        let result = await FileThreads.shared.runUnlessCancelled { () -> Result<String, TokenError> in
            do throws(TokenError) {
                return .success(try readNow(secret))
            } catch {
                return .failure(error)
            }
        }
        guard let result else { throw TokenError(kind: .cancelled, message: "the read was cancelled") }
        return try result.get()
    }

    /// Reads the secret on the calling thread, for as long as the file system hangs.
    package func readNow(_ secret: Secret) throws(TokenError) -> String {
        let text: String
        switch secret {
        case .literal(let value):
            text = value
        case .environment(let name):
            guard let value = ProcessInfo.processInfo.environment[name] else {
                throw Self.unreadable("the environment variable \(name) is not set: set it and start again")
            }
            text = value
        case .file(let path):
            text = try Self.readFile(path)
        }
        guard !SecretLine.isEmpty(text) else {
            throw Self.unreadable("\(secret.place) is empty: put the value into it")
        }
        return SecretLine.trimmed(text)
    }

    private static func readFile(_ path: String) throws(TokenError) -> String {
        let content: [UInt8]
        do throws(SecretFile.Problem) {
            content = try SecretFile.read(path, atMost: longestFile)
        } catch {
            throw unreadable("the file \(path) \(explanation(of: error))")
        }
        guard let text = String(validating: content, as: UTF8.self) else {
            throw unreadable("the file \(path) is not UTF-8 text: write the value as text")
        }
        return text
    }

    private static func explanation(of problem: SecretFile.Problem) -> String {
        switch problem {
        case .missing: "cannot be found: create it, or correct the path"
        case .forbidden: "cannot be read: let this process's user read it"
        case .notRegular: "is not a regular file: name a file that holds the value"
        case .tooLarge: "is larger than \(longestFile) bytes: it must hold only the value"
        case .system(let code): "cannot be read (\(SecretFile.words(code))): look at the file system that holds it"
        }
    }

    private static func unreadable(_ message: String) -> TokenError {
        TokenError(kind: .secretUnreadable, message: message)
    }
}

/// Reads secrets from their places; the manager's only access to the file system and the environment.
///
/// The manager calls it about once a second for a secret in a file, and right before it sends a refresh token. A file
/// system may hang, so a file should not be read on the manager's executor. A read that takes 10 s is reported as a
/// failure.
public protocol SecretReader: Sendable {
    /// The secret's text, without one line break at its end.
    ///
    /// - Parameter secret: The secret to read.
    /// - Returns: The text.
    /// - Throws: `TokenError` of kind `secretUnreadable` that names the file or variable and what to do.
    func read(_ secret: Secret) async throws(TokenError) -> String
}
