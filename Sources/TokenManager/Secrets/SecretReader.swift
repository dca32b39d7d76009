/// Reads secrets from where they are kept; the manager's only way to the file system and the environment.
///
/// It is called on the manager's executor, about once a second for a secret in a file, so it must be quick.
public protocol SecretReader: Sendable {
    /// The secret's text, without one line break at its end.
    ///
    /// - Parameter secret: The secret to read.
    /// - Returns: The text.
    /// - Throws: `TokenError` of kind `secretUnreadable` that names the file or variable and what to do.
    func read(_ secret: Secret) throws(TokenError) -> String
}
