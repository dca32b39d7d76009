import TokenManager

/// Reads private keys and certificates, and checks that they are usable and belong together.
enum PEMSetting {
    /// A key to sign with; `unsuited` is the message for a valid key that does not fit the algorithm.
    static func key(
        _ setting: Setting, _ algorithm: SigningAlgorithm?, unsuited: String? = nil, _ context: LoadContext
    ) -> Secret? {
        guard let secret = SecretSetting.read(setting, as: .lines, context),
            let text = SecretSetting.text(of: secret, setting.place, context)
        else { return nil }
        if let problem = SigningKey.problem(pem: text, algorithm: algorithm) {
            let isUnsuited = SigningKey.problem(pem: text, algorithm: nil) == nil
            context.problems.add(setting.place, isUnsuited ? unsuited ?? problem : problem)
            return nil
        }
        return secret
    }

    /// A certificate, which must belong to the key.
    static func certificate(_ setting: Setting, of key: Secret?, _ context: LoadContext) -> Secret? {
        guard let secret = SecretSetting.read(setting, as: .lines, context),
            let text = SecretSetting.text(of: secret, setting.place, context)
        else { return nil }
        guard let key, let keyText = SecretSetting.text(of: key, setting.place, context) else { return nil }
        if let problem = SigningKey.problem(certificate: text, key: keyText) {
            context.problems.add(setting.place, "cannot be used: \(problem)")
            return nil
        }
        CertificateWarning.look(at: text, setting.place, context)
        return secret
    }

    /// The certificate and key of a `tls` section; nil without either, and `.some(nil)` after a problem.
    static func pair(certificate: Setting?, key: Setting?, _ context: LoadContext) -> ClientCertificate?? {
        switch (certificate, key) {
        case (let certificate?, let key?): return .some(pair(certificate: certificate, key: key, context))
        case (nil, nil): return nil
        case (let stray?, nil), (nil, let stray?):
            let missing = certificate == nil ? "clientCertificate" : "clientKey"
            context.problems.add(stray.place, "needs \(missing) too; write both")
            return .some(nil)
        }
    }

    private static func pair(certificate: Setting, key: Setting, _ context: LoadContext) -> ClientCertificate? {
        guard let keyFile = SecretSetting.file(key, as: .lines, context),
            let keyText = SecretSetting.text(of: keyFile, key.place, context)
        else { return nil }
        if let problem = SigningKey.problem(pem: keyText, algorithm: nil) {
            context.problems.add(key.place, problem)
            return nil
        }
        guard let file = SecretSetting.file(certificate, as: .lines, context),
            let text = SecretSetting.text(of: file, certificate.place, context)
        else { return nil }
        if let problem = SigningKey.problem(certificate: text, key: keyText) {
            context.problems.add(certificate.place, "cannot be used: \(problem)")
            return nil
        }
        CertificateWarning.look(at: text, certificate.place, context)
        return ClientCertificate(certificate: file, privateKey: keyFile)
    }
}
