import HTTPWire
import Signing

/// A key that tokens are bound to: makes proofs of its possession (RFC 9449 section 4.2).
///
/// No description shows it. It is immutable, so that every thread that sends a token may hold it.
final class ProofKey: Sendable, Equatable, CustomStringConvertible, CustomReflectable {
    private let key: PrivateKey
    /// The beginning of every proof, in base64url: the type, the algorithm and the public key.
    private let header: String

    /// The key among a grant's secrets.
    ///
    /// - Throws: `TokenError` of kind `unusableValue` if it is not a P-256 key.
    init(_ secrets: SecretTexts) throws(TokenError) {
        let key = try SigningKey.read(.proofKey, secrets)
        _ = try SigningKey.algorithm(.es256, for: key, .proofKey)
        try SigningKey.test(key, .proofKey)
        guard let point = key.publicPoint else { preconditionFailure("a key for ES256 is on P-256") }
        let (x, y) = (Base64URL.encode(point.x), Base64URL.encode(point.y))
        header = Base64URL.encode(
            Array(#"{"alg":"ES256","jwk":{"crv":"P-256","kty":"EC","x":"\#(x)","y":"\#(y)"},"typ":"dpop+jwt"}"#.utf8))
        self.key = key
    }

    /// By how many seconds a proof is dated back.
    ///
    /// Some servers refuse a proof from the future, and their clock may be behind, even if only by milliseconds.
    private static let headStart = 1

    /// A unique proof for one request.
    ///
    /// - Parameters:
    ///   - method: The request's method.
    ///   - uri: The request's URI; query and fragment are left out.
    ///   - tokenHash: The hash of the token in the request, if it has one.
    ///   - nonce: The server's newest nonce, if there is one; it must satisfy `isNonce`.
    ///   - unixTime: The time in seconds since 1970.
    /// - Returns: The JWS in its compact form.
    func proof(method: String, uri: String, tokenHash: String?, nonce: String?, unixTime: Double) -> String {
        let end = uri.utf8.firstIndex { $0 == UInt8(ascii: "?") || $0 == UInt8(ascii: "#") }
        var payload: [UInt8] = []
        payload.reserveCapacity(512)
        payload.append(contentsOf: "{".utf8)
        if let tokenHash { payload.append(contentsOf: #""ath":"\#(tokenHash)","#.utf8) }
        payload.append(contentsOf: #""htm":"\#(JSONText.escaped(method[...]))","#.utf8)
        payload.append(contentsOf: #""htu":"\#(JSONText.escaped(uri[..<(end ?? uri.endIndex)]))","#.utf8)
        payload.append(contentsOf: #""iat":\#(Int(unixTime) - Self.headStart),"#.utf8)
        payload.append(contentsOf: #""jti":"\#(Base64URL.encode(SecureRandom.bytes(16)))""#.utf8)
        if let nonce { payload.append(contentsOf: #","nonce":"\#(nonce)""#.utf8) }
        payload.append(contentsOf: "}".utf8)
        do throws(PrivateKeyProblem) {
            return try JSONWebSignature.compact(encodedHeader: header, payload: payload, key: key, .es256)
        } catch {
            preconditionFailure("a key of P-256 that has signed signs by ES256")
        }
    }

    /// Whether a text is a nonce as in RFC 9449 section 8.1, and no longer than any server's.
    static func isNonce(_ text: String) -> Bool {
        (1...1024).contains(text.utf8.count)
            && text.utf8.allSatisfy { $0 == 0x21 || (0x23...0x5b).contains($0) || (0x5d...0x7e).contains($0) }
    }

    static func == (one: ProofKey, other: ProofKey) -> Bool { one.header == other.header }

    var description: String { "<key>" }
    var customMirror: Mirror { Mirror(self, children: []) }
}

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

/// The newest nonce of each token server that demands one in proofs (RFC 9449 section 8).
struct ServerNonces {
    private var nonces: [String: String] = [:]

    /// The newest nonce of the server behind an address.
    subscript(url: TokenURL) -> String? { nonces[Self.server(of: url)] }

    /// Keeps the nonce in the response to a request with a proof.
    ///
    /// - Returns: Whether the server refused the proof because it lacked this nonce, so that another proof may
    ///   succeed.
    mutating func answered(_ result: Result<TokenResponse, TokenTransportError>, from url: TokenURL) -> Bool {
        guard case .success(let response) = result, let nonce = response.dpopNonce, ProofKey.isNonce(nonce) else {
            return false
        }
        nonces[Self.server(of: url)] = nonce
        return TokenAnswer.asksForNonce(response)
    }

    private static func server(of url: TokenURL) -> String { "\(url.scheme.rawValue)://\(url.authority)" }
}
