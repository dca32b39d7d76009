import HTTPWire
import Signing

/// A key that tokens are bound to: makes proofs that we have it (RFC 9449 section 4.2).
///
/// Nothing shows it. It is immutable, so that every thread that sends a token may hold it.
final class ProofKey: Sendable, Equatable, CustomStringConvertible, CustomReflectable {
    private let key: PrivateKey
    /// What every proof begins with: the type, the algorithm and the public key.
    private let header: [UInt8]

    /// The key among a grant's secrets.
    ///
    /// - Throws: `TokenError` of kind `unusableValue` if it is none of P-256.
    init(_ secrets: SecretTexts) throws(TokenError) {
        let key = try SigningKey.read(.proofKey, secrets)
        _ = try SigningKey.algorithm(.es256, for: key, .proofKey)
        guard let point = key.publicPoint else { preconditionFailure("a key for ES256 is on P-256") }
        let (x, y) = (Base64URL.encode(point.x), Base64URL.encode(point.y))
        header = Array(
            #"{"alg":"ES256","jwk":{"crv":"P-256","kty":"EC","x":"\#(x)","y":"\#(y)"},"typ":"dpop+jwt"}"#.utf8)
        self.key = key
    }

    /// How long before now a proof says that it was made: some servers refuse one that seems to come from the future, and
    /// their clock may be behind, be it by the milliseconds between two ticks.
    private static let headStart = 1

    /// A proof for one request, unlike any other.
    ///
    /// - Parameters:
    ///   - method: The request's method.
    ///   - uri: Where the request goes; query and fragment are left out.
    ///   - tokenHash: Of the token that goes with the request, if one does.
    ///   - nonce: The newest that the server gave, if it gave one; it `isNonce`.
    ///   - unixTime: Now, in seconds since 1970.
    /// - Returns: The JWS in its compact form.
    func proof(method: String, uri: String, tokenHash: String?, nonce: String?, unixTime: Double) -> String {
        let target = uri.prefix { $0 != "?" && $0 != "#" }
        var payload = "{"
        if let tokenHash { payload += #""ath":"\#(tokenHash)","# }
        payload += #""htm":"\#(JSONText.escaped(method[...]))","htu":"\#(JSONText.escaped(target))","#
        payload += #""iat":\#(Int(unixTime) - Self.headStart),"#
        payload += #""jti":"\#(Base64URL.encode(SecureRandom.bytes(16)))""#
        if let nonce { payload += #","nonce":"\#(nonce)""# }
        payload += "}"
        do throws(PrivateKeyProblem) {
            return try JSONWebSignature.compact(header: header, payload: Array(payload.utf8), key: key, .es256)
        } catch {
            preconditionFailure("a key of P-256 signs by ES256")
        }
    }

    /// Whether a text is a nonce as RFC 9449 section 8.1 writes it, and not longer than any server makes one.
    static func isNonce(_ text: String) -> Bool {
        (1...1024).contains(text.utf8.count)
            && text.utf8.allSatisfy { $0 == 0x21 || (0x23...0x5b).contains($0) || (0x5d...0x7e).contains($0) }
    }

    static func == (one: ProofKey, other: ProofKey) -> Bool { one.header == other.header }

    var description: String { "<key>" }
    var customMirror: Mirror { Mirror(self, children: []) }
}
