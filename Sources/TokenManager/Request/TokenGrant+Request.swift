import FoundationEssentials
import Signing

extension TokenGrant {
    /// A request that is ready to be sent, with the texts that no message may contain.
    package struct Prepared: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
        package let request: TokenRequest
        /// The secrets and texts derived from them.
        package let hidden: [String]
        /// The key that the token will be bound to; nil if none.
        let proofKey: ProofKey?

        package var description: String { "\(request)" }
        package var debugDescription: String { description }
        package var customMirror: Mirror { Mirror(self, children: ["request": request]) }
    }

    /// Checks secrets that have just been read, without a request.
    ///
    /// - Throws: `TokenError` of kind `unusableValue`.
    package func check(_ secrets: SecretTexts) throws(TokenError) {
        guard let url = try? TokenURL("https://localhost/") else { preconditionFailure("a constant address is valid") }
        if case .signature(let template) = exchange {
            _ = try template.signed(for: nil, secrets, SigningMoment(unixTime: 0, identifier: ""))
            return
        }
        _ = try prepared(for: url, secrets, SigningMoment(unixTime: 0, identifier: ""))
    }

    /// The request, complete with secrets and signatures.
    ///
    /// - Parameters:
    ///   - url: The token endpoint.
    ///   - secrets: One secret for each of `roles`.
    ///   - moment: The time and identifier of assertions.
    /// - Returns: The request, with the texts that no message may contain.
    /// - Throws: `TokenError` of kind `unusableValue` if a key or certificate is unusable.
    package func prepared(
        for url: TokenURL, _ secrets: SecretTexts, _ moment: SigningMoment
    ) throws(TokenError) -> Prepared {
        var fields: [(name: String, value: String)] = []
        var parameters: [TokenParameter] = []
        // A server may repeat the secrets in the encoding in which they were sent.
        var hidden = secrets.values.flatMap {
            [$0, FormEncoding.percentEncoded($0), Data($0.utf8).base64EncodedString()]
        }
        for field in form {
            switch field {
            case .constant(let parameter): parameters.append(parameter)
            case .secret(let name, let role):
                parameters.append(TokenParameter(name: name, value: secrets[role]?.value ?? ""))
            case .assertion(let name, let template):
                let assertion = try template.signed(for: url, secrets, moment)
                hidden.append(assertion)
                parameters.append(TokenParameter(name: name, value: assertion))
            }
        }
        switch proof {
        case .none, .clientCertificate: break
        case .basic(let user, let isRaw):
            let password = secrets[.clientSecret]?.value ?? ""
            let value = Self.basic(user, password, isRaw: isRaw)
            hidden.append(value)
            fields.append(("Authorization", value))
        case .imfCertificate:
            let signed = try Self.imfCertificate(secrets, moment)
            hidden.append(signed.jws)
            fields.append(("Authorization", "IMFCert \(signed.jws)"))
            parameters.insert(TokenParameter(name: "client_id", value: signed.clientID), at: 1)
        }
        let proofKey = roles.contains(.proofKey) ? try ProofKey(secrets) : nil
        if let proofKey {
            let proof = proofKey.proof(
                method: "POST", uri: url.description, tokenHash: nil, nonce: moment.nonce, unixTime: moment.unixTime)
            fields.append(("DPoP", proof))
        }
        let certificate = try Self.clientCertificate(secrets)
        let request: TokenRequest
        switch exchange {
        case .form:
            fields.append(("Content-Type", "application/x-www-form-urlencoded"))
            fields.append(("Accept", "application/json"))
            request = TokenRequest(
                .post, url, fields: fields, body: FormEncoding.form(parameters), caFile: caFile,
                clientCertificate: certificate)
        case .query(let field):
            fields.append((field.name, field.value))
            fields.append(("Accept", "application/json"))
            request = TokenRequest(
                .get, url.asking(parameters), fields: fields, caFile: caFile, clientCertificate: certificate)
        case .installation(let template, let json):
            let proof = try template.signed(for: url, secrets, moment)
            hidden.append(proof)
            fields.append(("Authorization", "Bearer \(proof)"))
            fields.append(("Content-Type", "application/json"))
            fields.append(("Accept", "application/vnd.github+json"))
            fields.append(("X-GitHub-Api-Version", "2022-11-28"))
            // GitHub's API refuses a request without it.
            fields.append(("User-Agent", "attache"))
            request = TokenRequest(
                .post, url, fields: fields, body: Array(json.utf8), caFile: caFile, clientCertificate: certificate)
        case .signature: preconditionFailure("a token that is signed here needs no request")
        }
        return Prepared(request: request, hidden: hidden, proofKey: proofKey)
    }

    private static func basic(_ user: String, _ password: String, isRaw: Bool) -> String {
        let encoded = [user, password].map { isRaw ? $0 : FormEncoding.percentEncoded($0) }
        return "Basic " + Data(encoded.joined(separator: ":").utf8).base64EncodedString()
    }

    /// The assertion for Mobile Client Access: the signed time, with the certificate in the header.
    private static func imfCertificate(
        _ secrets: SecretTexts, _ moment: SigningMoment
    ) throws(TokenError) -> (jws: String, clientID: String) {
        let key = try SigningKey.read(.assertionKey, secrets)
        let algorithm = try SigningKey.algorithm(.rs256, for: key, .assertionKey)
        let chain = try SigningKey.chain(.assertionCertificate, secrets, of: key, .assertionKey)
        guard let clientID = chain.commonName else {
            throw TokenError(
                kind: .unusableValue,
                message:
                    "\(SecretRole.assertionCertificate.name) has no common name, which is the client's identifier: "
                    + "use the certificate that the service issued")
        }
        let header = AssertionHeader(alg: algorithm.rawValue, x5c: chain.certificates.map(Base64.encode))
        let payload = TimestampPayload(timestamp: Int(moment.unixTime * 1000))
        return (try SigningKey.sign(header.json, payload.json, key, algorithm, .assertionKey), clientID)
    }

    private static func clientCertificate(_ secrets: SecretTexts) throws(TokenError) -> PresentedCertificate? {
        guard let certificate = secrets[.tlsCertificate], let key = secrets[.tlsKey] else { return nil }
        if let problem = SigningKey.problem(certificate: certificate.value, key: key.value) {
            throw TokenError(kind: .unusableValue, message: problem)
        }
        return PresentedCertificate(chain: certificate.value, privateKey: key.value)
    }
}
