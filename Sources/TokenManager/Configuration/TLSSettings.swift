/// The TLS settings for a token server.
public struct TLSSettings: Sendable, Equatable {
    /// A PEM file with the certificate authorities to trust, or nil for the system's.
    public var caFile: String?
    /// The certificate to present if the server asks for one.
    public var clientCertificate: ClientCertificate?

    /// Creates settings.
    ///
    /// - Parameters:
    ///   - caFile: A PEM file with the certificate authorities to trust, or nil for the system's.
    ///   - clientCertificate: The certificate to present if the server asks for one.
    public init(caFile: String? = nil, clientCertificate: ClientCertificate? = nil) {
        self.caFile = caFile
        self.clientCertificate = clientCertificate
    }
}

/// A client's certificate with its key, both in PEM.
///
/// Files are read again when they change, and used only if certificate and key match.
public struct ClientCertificate: Sendable, Equatable {
    /// The certificate, followed by the intermediate certificates up to the authority.
    public var certificate: Secret
    /// Its private key, unencrypted.
    public var privateKey: Secret

    /// Creates a client's certificate.
    ///
    /// - Parameters:
    ///   - certificate: The certificate, followed by the intermediate certificates up to the authority.
    ///   - privateKey: Its private key, unencrypted.
    public init(certificate: Secret, privateKey: Secret) {
        self.certificate = certificate
        self.privateKey = privateKey
    }
}
