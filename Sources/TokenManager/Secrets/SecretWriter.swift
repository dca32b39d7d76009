/// Writes a secret back to the file that it came from; the manager's only way to change a file.
public protocol SecretWriter: Sendable {
    /// Puts a new secret in an old one's place: whatever ends the process, the file holds one of both.
    ///
    /// It may take as long as the disk takes, so it should not run on the manager's executor.
    ///
    /// - Parameters:
    ///   - text: The new secret.
    ///   - path: The file.
    /// - Throws: `TokenError` of kind `secretUnwritable` that names the file and what to do.
    func write(_ text: String, to path: String) async throws(TokenError)
}
