extension StreamConnection {
    /// When the peer's own certificate expires, in seconds since 1970; nil on a plain connection.
    package var peerCertificateEnd: Int64? { wire.tls?.peerCertificateEnd }
}
