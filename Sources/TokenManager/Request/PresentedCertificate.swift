/// A client's certificate with its key, both in PEM, for the TLS connection of one request; no description shows the
/// key.
public struct PresentedCertificate: Sendable, Hashable, CustomStringConvertible, CustomDebugStringConvertible,
    CustomReflectable
{
    /// The certificate, followed by the intermediate certificates up to the authority.
    public let chain: String
    /// Its private key, unencrypted.
    public let privateKey: String

    /// Creates a certificate to present.
    ///
    /// - Parameters:
    ///   - chain: The certificate, followed by the intermediate certificates up to the authority.
    ///   - privateKey: Its private key, unencrypted.
    public init(chain: String, privateKey: String) {
        self.chain = chain
        self.privateKey = privateKey
    }

    /// A placeholder.
    public var description: String { "<certificate>" }
    /// A placeholder.
    public var debugDescription: String { description }
    /// A mirror without children.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
