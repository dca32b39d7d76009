/// How TLS to a token server is set up.
public struct TLSSettings: Sendable, Equatable {
    /// A PEM file with the certificate authorities to trust, or nil for the system's.
    public var caFile: String?
    /// What is presented to the server, if it asks for a certificate.
    public var clientCertificate: ClientCertificate?

    /// Creates settings.
    ///
    /// - Parameters:
    ///   - caFile: A PEM file with the certificate authorities to trust, or nil for the system's.
    ///   - clientCertificate: What is presented to the server, if it asks for a certificate.
    public init(caFile: String? = nil, clientCertificate: ClientCertificate? = nil) {
        self.caFile = caFile
        self.clientCertificate = clientCertificate
    }
}

/// A client's certificate with its key, both in PEM; in files they are read again when they change, and used together only
/// if they belong together.
public struct ClientCertificate: Sendable, Equatable {
    /// The certificate, with those between it and the authority behind it.
    public var certificate: Secret
    /// Its private key, unencrypted.
    public var privateKey: Secret

    /// Creates a client's certificate.
    ///
    /// - Parameters:
    ///   - certificate: The certificate, with those between it and the authority behind it.
    ///   - privateKey: Its private key, unencrypted.
    public init(certificate: Secret, privateKey: Secret) {
        self.certificate = certificate
        self.privateKey = privateKey
    }
}
