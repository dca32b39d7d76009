import HTTPWire
import ProxyCore
import TokenManager

/// Reads the settings of every token server: its URL, its TLS settings and the client's identifier.
enum TokenServerSettings {
    enum TLSKey: String, CaseIterable {
        case caFile
        case clientCertificate
        case clientKey
    }

    static func url(
        _ setting: Setting, allowsPlaintext: Bool, advice: String = "allowPlaintext: true", _ context: LoadContext
    ) -> TokenURL? {
        let url = setting.parsed(context.problems, what: "a URL") { (text) throws(ValueError) -> TokenURL in
            try checkConstant(text)
            let url: TokenURL
            do throws(TokenURL.InvalidURL) {
                url = try TokenURL(text)
            } catch {
                throw ValueError(
                    "is not the address of a token server: \(error.description); write one as in https://idp.example/token"
                )
            }
            return url
        }
        guard let url else { return nil }
        guard url.scheme == .https || (try? Host(url.host))?.isLoopback == true || allowsPlaintext else {
            setting.refuse(
                context.problems, "would send the secret in plain text over the network; use https:// or set \(advice)")
            return nil
        }
        return url
    }

    static func tls(_ setting: Setting?, toward endpoint: TokenEndpoint?, _ context: LoadContext) -> TLSSettings? {
        guard let setting else { return TLSSettings() }
        guard var keys = MappingReader<TLSKey>(setting, context.problems) else { return nil }
        let file = keys.take(.caFile)
        let certificate = keys.take(.clientCertificate)
        let key = keys.take(.clientKey)
        keys.finish(context: "of a credential's tls")
        // Without TLS, the client would not be authenticated by its certificate (RFC 8705 section 2).
        if let stray = certificate ?? key, case .url(let url)? = endpoint, url.scheme == .http {
            context.problems.add(stray.place, "has no effect with an http:// token server; use https:// or remove it")
            return nil
        }
        let caFile = file.map { CAFileSetting.read($0, context) }
        let pair = PEMSetting.pair(certificate: certificate, key: key, context)
        guard caFile != .some(nil), pair != .some(nil) else { return nil }
        return TLSSettings(caFile: caFile ?? nil, clientCertificate: pair ?? nil)
    }

    /// Raw Basic joins identifier and secret with a colon, so the identifier must not contain one (RFC 7617 section
    /// 2).
    static func clientID(_ setting: Setting, isSentRaw: Bool, _ context: LoadContext) -> String? {
        guard let text = constant(setting, what: "the client's identifier", context) else { return nil }
        guard !isSentRaw || !text.utf8.contains(UInt8(ascii: ":")) else {
            setting.refuse(context.problems, "contains a colon, which HTTP Basic cannot carry; correct it")
            return nil
        }
        return text
    }

    /// A text that may depend on the request through `{host}` and `{header:Name}`.
    static func parameterisable(_ setting: Setting, what: String, _ context: LoadContext) -> String? {
        guard let text = setting.text(context.problems, what: what) else { return nil }
        do throws(ParameterTemplate.Invalid) {
            _ = try ParameterTemplate(text)
            return text
        } catch {
            setting.refuse(context.problems, error.problem)
            return nil
        }
    }

    /// A text that may not depend on the request.
    static func constant(
        _ setting: Setting, what: String, isSecret: Bool = false, _ context: LoadContext
    ) -> String? {
        setting.parsed(context.problems, what: what, isSecret: isSecret) { (text) throws(ValueError) in
            try checkConstant(text)
            return text
        }
    }

    private static func checkConstant(_ text: String) throws(ValueError) {
        guard text.firstRange(of: "{host}") == nil, text.firstRange(of: "{header:") == nil else {
            throw ValueError(
                "{host} and {header:…} are allowed only in a credential's appId, scope, audience and resource; "
                    + "write the value itself")
        }
    }
}

/// Reads the token endpoint: `tokenUrl`, or `issuer`, whose metadata name it, and `allowPlaintext` for both.
enum EndpointSetting {
    static func read(_ keys: inout CredentialSection.Keys, _ context: LoadContext) -> TokenEndpoint? {
        let allowsPlaintext = keys.take(.allowPlaintext)?.boolean(context.problems) ?? false
        let url = keys.take(.tokenUrl)
        let issuer = keys.take(.issuer)
        switch (url, issuer) {
        case (let url?, nil):
            return TokenServerSettings.url(url, allowsPlaintext: allowsPlaintext, context).map { .url($0) }
        case (nil, let issuer?): return self.issuer(issuer, allowsPlaintext: allowsPlaintext, context)
        case (.some, let issuer?):
            context.problems.add(
                issuer.place, "sets the token endpoint, and so does tokenUrl; keep one of the two")
        case (nil, nil):
            context.problems.add(
                keys.place,
                "tokenUrl is missing; write the URL of the token endpoint, or the issuer of a server with metadata")
        }
        return nil
    }

    private static func issuer(
        _ setting: Setting, allowsPlaintext: Bool, _ context: LoadContext
    ) -> TokenEndpoint? {
        guard TokenServerSettings.url(setting, allowsPlaintext: allowsPlaintext, context) != nil else { return nil }
        return setting.parsed(context.problems, what: "a URL") { (text) throws(ValueError) -> TokenEndpoint in
            guard !text.contains("/.well-known/") else {
                throw ValueError("is the address of the metadata; write the issuer that it names")
            }
            do throws(TokenURL.InvalidURL) {
                return .issuer(try Issuer(text))
            } catch {
                throw ValueError("is not an issuer: \(error.description); write one as in https://idp.example")
            }
        }
    }
}
