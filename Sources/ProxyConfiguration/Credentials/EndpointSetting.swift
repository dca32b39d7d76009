import TokenManager

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
