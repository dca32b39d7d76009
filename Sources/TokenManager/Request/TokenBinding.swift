import Signing

/// What makes a token that is bound to a key useful (DPoP, RFC 9449): every request needs a proof beside it.
///
/// Immutable and shared by all who send the token; no description or reflection shows the key.
public final class TokenBinding: Sendable, Equatable, CustomStringConvertible, CustomDebugStringConvertible,
    CustomReflectable
{
    private let key: ProofKey
    private let tokenHash: String

    init(_ key: ProofKey, token: String) {
        self.key = key
        tokenHash = Base64URL.encode(SHA256(of: Array(token.utf8)).bytes)
    }

    /// The value of the `DPoP` field for one request; a request that is sent again needs another.
    ///
    /// - Parameters:
    ///   - method: The request's method, for instance "GET".
    ///   - uri: Where the request goes, with scheme and host; query and fragment are left out of the proof.
    ///   - nonce: What the server's last `DPoP-Nonce` said, if there was one; what is no nonce is left out.
    ///   - unixTime: Now, in seconds since 1970.
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

    /// Whether key and token are the same.
    public static func == (one: TokenBinding, other: TokenBinding) -> Bool {
        one.key == other.key && one.tokenHash == other.tokenHash
    }

    /// Nothing of it.
    public var description: String { "<binding>" }
    /// Nothing of it.
    public var debugDescription: String { description }
    /// Nothing of it.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
