import EventTransport
import Signing
import TokenClient
import TokenManager

/// The TLS of all endpoints that trust one CA file and show one client certificate; the files are read again when
/// they change.
///
/// Confined to the worker's loop.
final class EndpointTLS {
    /// Makes connections that trust the newest authorities and show the newest certificate.
    private(set) var context: TLSContext
    /// Increases with every new context, so that an endpoint recognises connections made by an older one.
    private(set) var generation = 0
    let identity: ClientIdentity?
    /// The validity of the newest certificate, which is parsed once; nil without one.
    private(set) var certificate: CertificateValidity?

    private let authorities: AuthorityFile?
    private var authorityGeneration: Int
    private var identityGeneration: Int

    init(trusting authorities: AuthorityFile?, showing identity: ClientIdentity?) throws(TransportError) {
        self.authorities = authorities
        self.identity = identity
        context = try TLSContext(trusting: authorities?.newest, identity: identity?.newest.identity)
        authorityGeneration = authorities?.generation ?? 0
        identityGeneration = identity?.generation ?? 0
        certificate = Self.validity(of: identity)
    }

    private static func validity(of identity: ClientIdentity?) -> CertificateValidity? {
        identity.flatMap { SigningKey.validity(certificate: $0.newest.chain) }.map {
            CertificateValidity(notBefore: $0.notBefore, notAfter: $0.notAfter)
        }
    }

    /// Checks the files if it is due.
    func renew(at now: MonotonicInstant) {
        authorities?.renew(at: now)
        identity?.renew(at: now)
        guard authorityGeneration != authorities?.generation ?? 0 || identityGeneration != identity?.generation ?? 0,
            // Authorities and certificate were checked when they were read, so only memory can be short.
            let context = try? TLSContext(trusting: authorities?.newest, identity: identity?.newest.identity)
        else { return }
        self.context = context
        generation += 1
        if identityGeneration != identity?.generation ?? 0 { certificate = Self.validity(of: identity) }
        authorityGeneration = authorities?.generation ?? 0
        identityGeneration = identity?.generation ?? 0
    }
}
