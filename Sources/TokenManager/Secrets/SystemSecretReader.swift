/// Reads secrets from the file system and from the environment of this process.
public struct SystemSecretReader: SecretReader {
    /// Creates a reader.
    public init() {}

    /// Reads a secret.
    public func read(_ secret: Secret) throws(TokenError) -> String { "" }
}
