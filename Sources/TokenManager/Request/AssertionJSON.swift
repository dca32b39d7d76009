import FoundationEssentials

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
    let audience: String
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
        try container.encode(audience, forKey: Name(stringValue: "aud"))
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
