import FoundationEssentials
import Signing

/// The content of a JWT that is signed here, except its key and the times; part of a token's key.
package struct AssertionTemplate: Sendable, Hashable {
    /// What makes the signature.
    enum Signer: Sendable, Hashable {
        /// A private key, with this algorithm or the key's usual one.
        case key(SecretRole, SigningAlgorithm?)
        /// The client's secret, by HS256.
        case clientSecret
    }

    /// The JWT's `aud`.
    enum Audience: Sendable, Hashable {
        case tokenEndpoint
        case text(String)
        /// None: whoever gets the JWT knows its issuer's key.
        case missing
    }

    let signer: Signer
    let keyID: String?
    /// The role of the certificate whose thumbprint goes into the header.
    let certificate: SecretRole?
    let issuer: String?
    let subject: String?
    let audience: Audience
    /// The time from `iat` to `exp`.
    let lifetime: Duration
    /// How long before the moment of the signature `iat` lies, for servers whose clock is behind.
    let backdating: Duration
    let claims: [TokenParameter]

    /// An assertion with the given settings; the client's identifier replaces missing ones.
    init(_ settings: SignedAssertion, client: String?, key: SecretRole, certificate: SecretRole) {
        signer = .key(key, settings.algorithm)
        keyID = settings.keyID
        self.certificate = settings.certificate == nil ? nil : certificate
        issuer = settings.issuer ?? client
        subject = settings.subject ?? client
        audience = settings.audience.map { .text($0) } ?? .tokenEndpoint
        lifetime = settings.lifetime
        backdating = .zero
        claims = settings.claims
    }

    /// A JWT that is the token itself; nothing replaces a missing claim.
    init(token settings: SignedAssertion) {
        signer = .key(.assertionKey, settings.algorithm)
        keyID = settings.keyID
        certificate = settings.certificate == nil ? nil : .assertionCertificate
        issuer = settings.issuer
        subject = settings.subject
        audience = settings.audience.map { .text($0) } ?? .missing
        lifetime = settings.lifetime
        backdating = min(.seconds(10), settings.lifetime / 10)
        claims = settings.claims
    }

    /// A GitHub App's proof of itself; GitHub accepts no end later than ten minutes from now.
    init(gitHubApp appID: String) {
        signer = .key(.assertionKey, .rs256)
        keyID = nil
        certificate = nil
        issuer = appID
        subject = nil
        audience = .missing
        lifetime = .seconds(600)
        backdating = .seconds(60)
        claims = []
    }

    /// A client's assertion about itself, signed with its secret.
    init(client: String, audience: String?) {
        signer = .clientSecret
        keyID = nil
        certificate = nil
        issuer = client
        subject = client
        self.audience = audience.map { .text($0) } ?? .tokenEndpoint
        lifetime = SignedAssertion.usualLifetime
        backdating = .zero
        claims = []
    }

    /// Why these settings cannot sign anything; nil if they can.
    var problem: String? {
        if issuer == nil { return "the assertion has no issuer" }
        if lifetime < .seconds(1) { return "the assertion's lifetime is less than one second" }
        var seen = SignedAssertion.reservedClaimNames
        for claim in claims where !seen.insert(claim.name).inserted {
            return "the assertion's claim \(claim.name) is given twice or is set by other keys"
        }
        return nil
    }

    /// The time from the signature to `exp`, in whole seconds.
    var validity: Duration { .seconds((lifetime - backdating).components.seconds) }

    /// The signed JWT in its compact form.
    ///
    /// - Parameters:
    ///   - url: The token endpoint; nil if no server is asked.
    ///   - secrets: The keys.
    ///   - moment: The time of the signature, and the JWT's identifier.
    /// - Returns: Header, payload and signature.
    /// - Throws: `TokenError` of kind `unusableValue` if the key cannot make this signature.
    func signed(for url: TokenURL?, _ secrets: SecretTexts, _ moment: SigningMoment) throws(TokenError) -> String {
        let now = Int(moment.unixTime)
        let audience: String? =
            switch audience {
            case .tokenEndpoint: (moment.audience ?? url)?.description
            case .text(let text): text
            case .missing: nil
            }
        let payload = AssertionPayload(
            issuer: issuer, subject: subject, audience: audience,
            issuedAt: now - Int((lifetime - validity).components.seconds),
            expiresAt: now + Int(validity.components.seconds), identifier: moment.identifier, others: claims)
        switch signer {
        case .clientSecret:
            let header = AssertionHeader(alg: "HS256", typ: "JWT")
            let secret = Array((secrets[.clientSecret]?.value ?? "").utf8)
            return JSONWebSignature.compact(header: header.json, payload: payload.json, secret: secret)
        case .key(let role, let algorithm):
            let key = try SigningKey.read(role, secrets)
            let algorithm = try SigningKey.algorithm(algorithm, for: key, role)
            var header = AssertionHeader(alg: algorithm.rawValue, typ: "JWT", kid: keyID)
            if let certificate {
                header.thumbprint = try SigningKey.chain(certificate, secrets, of: key, role).thumbprint
            }
            return try SigningKey.sign(header.json, payload.json, key, algorithm, role)
        }
    }
}

/// When an assertion is signed, and what makes it unique.
package struct SigningMoment: Sendable {
    /// Seconds since 1970.
    package let unixTime: Double
    /// `jti`: 128 random bits.
    package let identifier: String
    /// The nonce that the token server demands in a proof of possession.
    let nonce: String?
    /// The token server's own name for its endpoint, if it differs from the address of the request.
    let audience: TokenURL?

    package init(
        unixTime: Double, identifier: String = Base64URL.encode(SecureRandom.bytes(16)), nonce: String? = nil,
        audience: TokenURL? = nil
    ) {
        self.unixTime = unixTime
        self.identifier = identifier
        self.nonce = nonce
        self.audience = audience
    }
}

/// The header of a JWS (RFC 7515 section 4), its members in the order of their names.
struct AssertionHeader: Encodable {
    let alg: String
    var typ: String?
    var kid: String?
    /// `x5t#S256`.
    var thumbprint: String?
    /// The chain in Base64, the signer's certificate first.
    var x5c: [String]?

    private enum CodingKeys: String, CodingKey {
        case alg
        case typ
        case kid
        case thumbprint = "x5t#S256"
        case x5c
    }

    var json: [UInt8] { AssertionJSON.bytes(of: self) }
}

/// The claims of a client's or subject's assertion (RFC 7523 section 3), in the order of their names.
struct AssertionPayload: Encodable {
    let issuer: String?
    let subject: String?
    let audience: String?
    let issuedAt: Int
    let expiresAt: Int
    let identifier: String
    let others: [TokenParameter]

    private struct Name: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }

        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Name.self)
        try container.encodeIfPresent(issuer, forKey: Name(stringValue: "iss"))
        try container.encodeIfPresent(subject, forKey: Name(stringValue: "sub"))
        try container.encodeIfPresent(audience, forKey: Name(stringValue: "aud"))
        try container.encode(issuedAt, forKey: Name(stringValue: "iat"))
        try container.encode(expiresAt, forKey: Name(stringValue: "exp"))
        try container.encode(identifier, forKey: Name(stringValue: "jti"))
        for claim in others { try container.encode(claim.value, forKey: Name(stringValue: claim.name)) }
    }

    var json: [UInt8] { AssertionJSON.bytes(of: self) }
}

/// The payload that Mobile Client Access requires to be signed.
struct TimestampPayload: Encodable {
    /// Milliseconds since 1970.
    let timestamp: Int

    var json: [UInt8] { AssertionJSON.bytes(of: self) }
}

private enum AssertionJSON {
    static func bytes(of value: some Encodable) -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        guard let bytes = try? encoder.encode(value) else { preconditionFailure("texts and numbers are JSON") }
        return Array(bytes)
    }
}
