package import EventTransport
package import TokenManager

extension PresentedCertificate {
    /// The certificate and its key for a TLS context.
    package var identity: TLSIdentity { TLSIdentity(chain: chain, privateKey: privateKey) }
}
