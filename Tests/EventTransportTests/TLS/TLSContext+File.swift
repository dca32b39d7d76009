@testable import EventTransport

extension TLSContext {
    /// A context that trusts the authorities in a file, or the system's.
    convenience init(caFile: String?, identity: TLSIdentity? = nil) throws(TransportError) {
        var authorities: TrustedAuthorities?
        if let caFile { authorities = try TrustedAuthorities(file: caFile) }
        try self.init(trusting: authorities, identity: identity)
    }
}
