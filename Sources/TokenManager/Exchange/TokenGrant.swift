import FoundationEssentials

/// Everything of a token request but the secret: what is asked, where, and how the client authenticates.
package struct TokenGrant: Sendable, Hashable {
    package let url: TokenURL
    package let clientID: String
    package let authentication: ClientAuthentication
    /// The form without client authentication, in the order in which it is sent.
    package let form: [TokenParameter]
    package let tls: TLSSettings

    private static let clientCredentials = TokenParameter(name: "grant_type", value: "client_credentials")

    package init(_ client: MobileClientAccess) {
        url = client.tokenURL
        clientID = client.clientID
        authentication = .basicRaw
        form = [Self.clientCredentials]
        tls = client.tls
    }

    package init(_ client: AppID) {
        url = client.tokenURL
        clientID = client.clientID
        authentication = .basicRaw
        form = [Self.clientCredentials]
        tls = client.tls
    }

    package init(_ client: ClientCredentials) {
        url = client.tokenURL
        clientID = client.clientID
        authentication = client.clientAuthentication
        var form = [Self.clientCredentials]
        if let scope = client.scope { form.append(TokenParameter(name: "scope", value: scope)) }
        if let audience = client.audience { form.append(TokenParameter(name: "audience", value: audience)) }
        form += client.resource.map { TokenParameter(name: "resource", value: $0) }
        self.form = form + client.parameters
        tls = client.tls
    }

    /// Why this grant cannot be asked for, if it cannot.
    package var problem: String? {
        if clientID.isEmpty { return "clientId is empty" }
        // RFC 7617 section 2: a receiver takes the first colon for the end of the identifier.
        if authentication == .basicRaw, clientID.contains(":") {
            return "clientId holds a colon, which HTTP Basic cannot carry unencoded"
        }
        var seen: Set<String> = []
        for field in form where field.name != "resource" {
            if field.name.isEmpty { return "a parameter has an empty name" }
            if field.name == "client_id" || field.name == "client_secret" || !seen.insert(field.name).inserted {
                // RFC 6749 section 3.2: parameters must not be included more than once.
                return "the parameter \(field.name) is given twice or is set by other keys"
            }
        }
        return nil
    }

    /// The request, complete with the client's secret.
    package func request(secret: SecretText) -> TokenRequest {
        var fields: [(name: String, value: String)] = []
        var form = form
        switch authentication {
        case .basic:
            let user = FormEncoding.percentEncoded(clientID)
            fields.append(("Authorization", Self.basic(user, FormEncoding.percentEncoded(secret.value))))
        case .basicRaw:
            fields.append(("Authorization", Self.basic(clientID, secret.value)))
        case .post:
            form.append(TokenParameter(name: "client_id", value: clientID))
            form.append(TokenParameter(name: "client_secret", value: secret.value))
        }
        fields.append(("Content-Type", "application/x-www-form-urlencoded"))
        fields.append(("Accept", "application/json"))
        return TokenRequest(url: url, fields: fields, body: FormEncoding.form(form), tls: tls)
    }

    private static func basic(_ user: String, _ password: String) -> String {
        "Basic " + Data("\(user):\(password)".utf8).base64EncodedString()
    }
}
