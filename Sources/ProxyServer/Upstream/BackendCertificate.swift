import EventTransport

/// The expiry of a backend's own certificate, as seen in a handshake.
struct BackendCertificate: Equatable, Sendable {
    let seenAt: MonotonicInstant
    /// In seconds since 1970.
    let expiresAt: Int64
}
