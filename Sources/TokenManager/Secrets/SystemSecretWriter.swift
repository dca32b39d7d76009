import Signing

/// Writes secrets to the file system: to a new file in the same folder, which replaces the old one once it is on
/// disk.
///
/// The file keeps its mode and, as far as this process may set it, its owner.
public struct SystemSecretWriter: SecretWriter {
    /// Creates a writer.
    public init() {}

    /// Replaces a secret in its file: whenever the process ends, the file holds either the old or the new one.
    ///
    /// - Parameters:
    ///   - text: The new secret.
    ///   - path: The file.
    /// - Throws: `TokenError` of kind `secretUnwritable` that names the file and what to do.
    public func write(_ text: String, to path: String) async throws(TokenError) {
        let problem = await FileThreads.shared.run { () -> SecretFile.Problem? in
            do throws(SecretFile.Problem) {
                try FileReplacement.replace(path, with: Array(text.utf8))
                return nil
            } catch {
                return error
            }
        }
        if let problem {
            throw TokenError(
                kind: .secretUnwritable,
                message:
                    "the new refresh token from the server cannot be written to \(path), and is lost when this process ends: "
                    + Self.advice(problem))
        }
    }

    private static func advice(_ problem: SecretFile.Problem) -> String {
        switch problem {
        case .missing: "there is no such file or folder; put it into a folder where it can be replaced"
        case .forbidden: "let this process's user write to the file's folder"
        case .notRegular: "name a regular file"
        case .tooLarge: "the file is too large"
        case .system(let code): "\(SecretFile.words(code)); look at the file system that holds it"
        }
    }
}

/// Writes a secret back to its file; the manager's only way to change a file.
public protocol SecretWriter: Sendable {
    /// Replaces a secret in its file: whenever the process ends, the file holds either the old or the new one.
    ///
    /// It takes as long as the disk does, so it should not run on the manager's executor.
    ///
    /// - Parameters:
    ///   - text: The new secret.
    ///   - path: The file.
    /// - Throws: `TokenError` of kind `secretUnwritable` that names the file and what to do.
    func write(_ text: String, to path: String) async throws(TokenError)
}
