/// The algorithm of a JSON Web Signature (RFC 7518 section 3.1, RFC 8037 section 3.1), named as in its header.
package enum SignatureAlgorithm: String, Sendable, Hashable, CaseIterable {
    /// RSA PKCS #1 v1.5 with SHA-256.
    case rs256 = "RS256"
    /// RSA PSS with SHA-256 and a salt of 32 bytes.
    case ps256 = "PS256"
    /// ECDSA on P-256 with SHA-256.
    case es256 = "ES256"
    /// Ed25519.
    case edDSA = "EdDSA"
}
