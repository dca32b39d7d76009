/// A route's TLS settings for its upstream, in addition to the verification that always happens.
package struct UpstreamTLS: Hashable, Sendable {
    /// A PEM file with the authorities to trust instead of the system's.
    package let caFile: String?
    /// The name to request (SNI) and to verify instead of the upstream's host.
    package let serverName: String?
    /// The certificate for an upstream that asks for one.
    package let clientCertificate: ClientCertificateFiles?

    package init(
        caFile: String? = nil, serverName: String? = nil, clientCertificate: ClientCertificateFiles? = nil
    ) {
        self.caFile = caFile
        self.serverName = serverName
        self.clientCertificate = clientCertificate
    }
}

/// The paths of a client's certificate and of its private key, both in PEM.
package struct ClientCertificateFiles: Hashable, Sendable {
    /// The certificate, followed by the intermediate certificates up to the authority.
    package let certificate: String
    package let privateKey: String

    package init(certificate: String, privateKey: String) {
        self.certificate = certificate
        self.privateKey = privateKey
    }
}
