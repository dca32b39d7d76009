/// Why a text is not a key to sign with, or not with this algorithm.
package enum PrivateKeyProblem: Error, Equatable, Sendable {
    /// There is no private key in it.
    case notPEM
    /// It wants a password; nobody is asked for one.
    case encrypted
    /// A key of another kind than RSA, EC P-256 and Ed25519.
    case unsupported
    /// RSA of fewer bits than RFC 7518 section 3.3 asks for.
    case tooShort(bits: Int)
    /// The algorithm wants a key of another kind.
    case unsuited(SignatureAlgorithm)
}
