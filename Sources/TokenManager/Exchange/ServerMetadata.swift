import FoundationEssentials

/// What an issuer's metadata says (RFC 8414 section 3.2, OpenID Connect Discovery section 4.2), as far as it matters.
package struct ServerMetadata: Sendable, Equatable {
    /// Why metadata cannot be used, as a part of a sentence.
    package struct Unusable: Error, Equatable, Sendable {
        package let reason: String
    }

    private struct Fields: Decodable {
        let issuer: TokenFields.Text?
        let tokenEndpoint: TokenFields.Text?

        private enum CodingKeys: String, CodingKey {
            case issuer
            case tokenEndpoint = "token_endpoint"
        }
    }

    /// Where tokens are asked for.
    package let tokenEndpoint: TokenURL

    /// Reads an answer.
    ///
    /// - Parameters:
    ///   - response: The answer to a request that held no secret, so that its words may be shown.
    ///   - issuer: Whose metadata it must be.
    /// - Throws: `Unusable` with why it cannot be used.
    package init(_ response: TokenResponse, of issuer: Issuer) throws(Unusable) {
        guard response.status == 200 else {
            let isRedirect = (300...399).contains(response.status)
            throw Unusable(
                reason: isRedirect ? "\(response.status), a redirect, which is never followed" : "\(response.status)")
        }
        if let problem = JSONMembers.problem(in: response.body) { throw Unusable(reason: problem) }
        guard let fields = try? JSONDecoder().decode(Fields.self, from: Data(response.body)) else {
            throw Unusable(reason: "the body is not a JSON object")
        }
        guard let named = fields.issuer?.text else { throw Unusable(reason: "issuer is missing") }
        guard named == issuer.identifier else {
            // RFC 8414 section 3.3: another issuer's metadata must not be used.
            let shown = (try? TokenURL(named)).flatMap { _ in named.utf8.count <= 200 ? named : nil }
            throw Unusable(reason: "it is of the issuer \(shown ?? "of another name"), not of \(issuer)")
        }
        guard let text = fields.tokenEndpoint?.text else { throw Unusable(reason: "token_endpoint is missing") }
        let url: TokenURL
        do throws(TokenURL.InvalidURL) {
            url = try TokenURL(text)
        } catch {
            throw Unusable(reason: "token_endpoint is no usable address: \(error.description)")
        }
        guard url.scheme == .https || (issuer.url.scheme == .http && url.host == issuer.url.host) else {
            throw Unusable(reason: "token_endpoint would take the secret in plain text")
        }
        tokenEndpoint = url
    }
}
