import Signing

/// Keys and certificates, read for one signature, with errors that a person can act on.
package enum SigningKey {
    static func read(_ role: SecretRole, _ secrets: SecretTexts) throws(TokenError) -> PrivateKey {
        do throws(PrivateKeyProblem) {
            return try PrivateKey(pem: Array((secrets[role]?.value ?? "").utf8))
        } catch {
            throw unusable("\(role.name) \(explanation(of: error))")
        }
    }

    static func algorithm(
        _ wanted: SigningAlgorithm?, for key: borrowing PrivateKey, _ role: SecretRole
    ) throws(TokenError) -> SignatureAlgorithm {
        let possible = key.kind.algorithms
        guard let wanted else { return possible[0] }
        guard let algorithm = possible.first(where: { $0.rawValue == wanted.rawValue }) else {
            throw unusable("\(role.name) \(explanation(of: .unsuited(SignatureAlgorithm(wanted))))")
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
            throw unusable("\(role.name) \(explanation(of: error))")
        }
    }

    /// Why a text is not a key to sign with, as the rest of a sentence; nil if it is one.
    package static func problem(pem: String, algorithm: SigningAlgorithm?) -> String? {
        do throws(PrivateKeyProblem) {
            let key = try PrivateKey(pem: Array(pem.utf8))
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
        case .encrypted: "is encrypted: write it without a password, in a file that only this process may read"
        case .unsupported: "is of an unsupported kind: use RSA, EC P-256 or Ed25519"
        case .tooShort(let bits): "is an RSA key of \(bits) bits: use \(PrivateKey.fewestRSABits) or more"
        case .unsuited(let algorithm):
            "does not fit \(algorithm.rawValue): use a key that does, or name this key's algorithm"
        }
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
