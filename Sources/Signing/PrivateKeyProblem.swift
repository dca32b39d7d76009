/// Why a text is not a key to sign with, or does not fit the algorithm.
package enum PrivateKeyProblem: Error, Equatable, Sendable {
    /// The text has no private key.
    case notPEM
    /// The key needs a password, and Attaché never asks for one.
    case encrypted
    /// A key of another kind than RSA, EC P-256 and Ed25519.
    case unsupported
    /// An RSA key of fewer bits than RFC 7518 section 3.3 requires.
    case tooShort(bits: Int)
    /// The algorithm requires another kind of key.
    case unsuited(SignatureAlgorithm)
}
