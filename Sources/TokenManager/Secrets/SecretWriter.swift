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
