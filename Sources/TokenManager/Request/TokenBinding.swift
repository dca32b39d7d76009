import Signing

/// Makes a token that is bound to a key usable (DPoP, RFC 9449): every request needs a proof beside it.
///
/// Immutable, and shared by all code that sends the token; no description or reflection shows the key.
public final class TokenBinding: Sendable, Equatable, CustomStringConvertible, CustomDebugStringConvertible,
    CustomReflectable
{
    private let key: ProofKey
    private let tokenHash: String

    init(_ key: ProofKey, token: String) {
        self.key = key
        tokenHash = Base64URL.encode(SHA256(of: Array(token.utf8)).bytes)
    }

    /// The value of the `DPoP` field for one request; a request that is sent again needs a new one.
    ///
    /// - Parameters:
    ///   - method: The request's method, for instance "GET".
    ///   - uri: The request's URI with scheme and host; query and fragment are left out of the proof.
    ///   - nonce: The server's last `DPoP-Nonce`, if there was one; an invalid nonce is left out.
    ///   - unixTime: The time in seconds since 1970.
    /// - Returns: A signed JWT.
    public func proof(method: String, uri: String, nonce: String? = nil, unixTime: Double) -> String {
        key.proof(
            method: method, uri: uri, tokenHash: tokenHash, nonce: nonce.flatMap { Self.isNonce($0) ? $0 : nil },
            unixTime: unixTime)
    }

    /// Whether a text may be the value of a `DPoP-Nonce` field (RFC 9449 section 8.1).
    ///
    /// - Parameter text: The field's value.
    /// - Returns: False if it must be ignored.
    public static func isNonce(_ text: String) -> Bool { ProofKey.isNonce(text) }

    /// Whether key and token are equal.
    public static func == (one: TokenBinding, other: TokenBinding) -> Bool {
        one.key == other.key && one.tokenHash == other.tokenHash
    }

    /// A placeholder.
    public var description: String { "<binding>" }
    /// A placeholder.
    public var debugDescription: String { description }
    /// A mirror without children.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
