/// The key that the tokens of a credential are bound to, so that they are useless without it (RFC 9449).
///
/// The key is on the curve P-256, and proofs are signed with ES256.
public enum DPoP: Sendable, Equatable {
    /// A key of the credential's own, generated at the start; it never leaves the process.
    ///
    /// The refresh token of a public client needs a stored key instead: the server binds that token to the key too
    /// (RFC 9449 section 5).
    case generated
    /// A key in PEM; if it is in a file, it is read again when it changes.
    case privateKey(Secret)
}
