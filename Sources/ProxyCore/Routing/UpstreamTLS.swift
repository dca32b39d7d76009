/// What a route wants of TLS towards its upstream, beyond the verification that always happens.
package struct UpstreamTLS: Hashable, Sendable {
    /// A PEM file of the authorities to trust instead of the system's.
    package let caFile: String?
    /// The name to ask for and to verify instead of the upstream's host.
    package let serverName: String?
    /// What is shown to an upstream that asks for a certificate.
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
    /// The certificate, with those between it and the authority behind it.
    package let certificate: String
    package let privateKey: String

    package init(certificate: String, privateKey: String) {
        self.certificate = certificate
        self.privateKey = privateKey
    }
}
