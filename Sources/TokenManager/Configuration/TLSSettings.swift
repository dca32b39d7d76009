/// How TLS to a token server is set up; part of the key, since another trust store may mean another server.
public struct TLSSettings: Sendable, Hashable {
    /// A PEM file with the certificate authorities to trust, or nil for the system's.
    public var caFile: String?

    /// Creates settings.
    ///
    /// - Parameter caFile: A PEM file with the certificate authorities to trust, or nil for the system's.
    public init(caFile: String? = nil) {
        self.caFile = caFile
    }
}
