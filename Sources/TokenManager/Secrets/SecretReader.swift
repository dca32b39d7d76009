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
