/// A client's certificate with its key, as texts in PEM, for the TLS connection of one request; nothing shows the key.
public struct PresentedCertificate: Sendable, Hashable, CustomStringConvertible, CustomDebugStringConvertible,
    CustomReflectable
{
    /// The certificate, with those between it and the authority behind it.
    public let chain: String
    /// Its private key, unencrypted.
    public let privateKey: String

    /// Creates a certificate to present.
    ///
    /// - Parameters:
    ///   - chain: The certificate, with those between it and the authority behind it.
    ///   - privateKey: Its private key, unencrypted.
    public init(chain: String, privateKey: String) {
        self.chain = chain
        self.privateKey = privateKey
    }

    /// Nothing of it.
    public var description: String { "<certificate>" }
    /// Nothing of it.
    public var debugDescription: String { description }
    /// Nothing of it.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
