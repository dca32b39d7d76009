import FoundationEssentials
import Signing

/// Keys and certificates, read for one signature, with errors that a person can act on.
package enum SigningKey {
    static func read(_ role: SecretRole, _ secrets: SecretTexts) throws(TokenError) -> PrivateKey {
        do throws(PrivateKeyProblem) {
            return try PrivateKey(pem: Array((secrets[role]?.value ?? "").utf8))
        } catch {
            throw unusable(role, error)
        }
    }

    /// Signs once with a key that must not fail later.
    static func test(_ key: borrowing PrivateKey, _ role: SecretRole) throws(TokenError) {
        do throws(PrivateKeyProblem) {
            try key.test()
        } catch {
            throw unusable(role, error)
        }
    }

    static func algorithm(
        _ wanted: SigningAlgorithm?, for key: borrowing PrivateKey, _ role: SecretRole
    ) throws(TokenError) -> SignatureAlgorithm {
        let possible = key.kind.algorithms
        guard let wanted else { return possible[0] }
        guard let algorithm = possible.first(where: { $0.rawValue == wanted.rawValue }) else {
            throw unusable(role, .unsuited(SignatureAlgorithm(wanted)))
        }
        return algorithm
    }

    /// The chain of a certificate that belongs to a key.
    static func chain(
        _ role: SecretRole, _ secrets: SecretTexts, of key: borrowing PrivateKey, _ keyRole: SecretRole
    ) throws(TokenError) -> CertificateChain {
        guard let chain = try? CertificateChain(pem: Array((secrets[role]?.value ?? "").utf8)) else {
            throw unusable(
                "\(role.name) is not PEM with complete certificates: begin each with -----BEGIN CERTIFICATE-----")
        }
        guard key.belongs(to: chain) else {
            throw unusable("\(role.name) and \(keyRole.name) do not belong together: replace both")
        }
        return chain
    }

    static func sign(
        _ header: [UInt8], _ payload: [UInt8], _ key: borrowing PrivateKey, _ algorithm: SignatureAlgorithm,
        _ role: SecretRole
    ) throws(TokenError) -> String {
        do throws(PrivateKeyProblem) {
            return try JSONWebSignature.compact(header: header, payload: payload, key: key, algorithm)
        } catch {
            throw unusable(role, error)
        }
    }

    /// Why a text is not a key to sign with, as the rest of a sentence; nil if it is one.
    package static func problem(pem: String, algorithm: SigningAlgorithm?) -> String? {
        do throws(PrivateKeyProblem) {
            let key = try PrivateKey(pem: Array(pem.utf8))
            try key.test()
            guard let algorithm = algorithm.map(SignatureAlgorithm.init) else { return nil }
            return key.kind.algorithms.contains(algorithm) ? nil : explanation(of: .unsuited(algorithm))
        } catch {
            return explanation(of: error)
        }
    }

    /// Why two texts are not a certificate and its key, as a sentence; nil if they are.
    package static func problem(certificate: String, key: String) -> String? {
        let secrets = SecretTexts([.tlsCertificate: SecretText(certificate), .tlsKey: SecretText(key)])
        do throws(TokenError) {
            _ = try chain(.tlsCertificate, secrets, of: try read(.tlsKey, secrets), .tlsKey)
            return nil
        } catch {
            return error.message
        }
    }

    private static func explanation(of problem: PrivateKeyProblem) -> String {
        switch problem {
        case .notPEM: "is not a private key in PEM: begin it with -----BEGIN PRIVATE KEY-----"
        case .unusable: "is unusable: a signature with it fails, or does not match its public half; replace the key"
        case .encrypted: "is encrypted: write it without a password, in a file that only this process may read"
        case .unsupported: "is of an unsupported kind: use RSA, EC P-256 or Ed25519"
        case .tooShort(let bits): "is an RSA key of \(bits) bits: use \(PrivateKey.fewestRSABits) or more"
        case .unsuited(let algorithm):
            "does not fit \(algorithm.rawValue): use a key that does, or name this key's algorithm"
        }
    }

    private static func unusable(_ role: SecretRole, _ problem: PrivateKeyProblem) -> TokenError {
        unusable("\(role.name) \(explanation(of: problem))")
    }

    private static func unusable(_ message: String) -> TokenError { TokenError(kind: .unusableValue, message: message) }
}

extension SignatureAlgorithm {
    fileprivate init(_ algorithm: SigningAlgorithm) {
        switch algorithm {
        case .rs256: self = .rs256
        case .ps256: self = .ps256
        case .es256: self = .es256
        case .edDSA: self = .edDSA
        }
    }
}

extension SigningKey {
    /// The validity period of a certificate in PEM, in seconds since 1970; nil if the text holds no certificate with
    /// one.
    package static func validity(certificate: String) -> (notBefore: Int64, notAfter: Int64)? {
        (try? CertificateChain(pem: Array(certificate.utf8)))?.validity.map { ($0.notBefore, $0.notAfter) }
    }
}

extension SigningKey {
    /// Whether a PEM text of certificate authorities holds only intermediate ones, which make no certificate trusted.
    package static func lacksRoot(authorities: [UInt8]) -> Bool { TrustAnchors.lackRoot(pem: authorities) }
}

/// The times in a JWT (RFC 7519 section 4.1); they are not verified, which is up to the recipients of the token.
package struct JSONWebToken: Sendable, Equatable {
    /// `exp`, in seconds since 1970.
    package let expiresAt: Double?
    /// `iat`, in seconds since 1970.
    package let issuedAt: Double?

    private struct Claims: Decodable {
        let exp: LenientNumber?
        let iat: LenientNumber?
    }

    /// Nil if the text is not a JWT with a readable payload.
    package init?(_ text: String) {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3, !parts[0].isEmpty, let payload = Self.decoded(parts[1]),
            let claims = try? JSONDecoder().decode(Claims.self, from: payload)
        else { return nil }
        expiresAt = claims.exp?.value
        issuedAt = claims.iat?.value
    }

    /// `exp` - `iat` in seconds, if the token has both and they are plausible.
    package var life: Double? {
        guard let expiresAt, let issuedAt, expiresAt > issuedAt else { return nil }
        return expiresAt - issuedAt
    }

    /// The bytes of a part in base64url without padding; nil if it is invalid.
    static func decoded(_ part: Substring) -> Data? {
        guard part.utf8.allSatisfy(isBase64URL) else { return nil }
        var base64 = String(part).replacing("-", with: "+").replacing("_", with: "/")
        while base64.utf8.count % 4 != 0 { base64 += "=" }
        return Data(base64Encoded: base64)
    }

    private static func isBase64URL(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5a, 0x61...0x7a, UInt8(ascii: "-"), UInt8(ascii: "_"): true
        default: false
        }
    }
}
