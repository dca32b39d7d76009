import FoundationEssentials

/// The part of an issuer's metadata that matters here (RFC 8414 section 3.2, OpenID Connect Discovery section 4.2).
package struct ServerMetadata: Sendable, Equatable {
    /// Why metadata is unusable, as a part of a sentence.
    package struct Unusable: Error, Equatable, Sendable {
        package let reason: String
    }

    private struct Fields: Decodable {
        let issuer: TokenFields.Text?
        let tokenEndpoint: TokenFields.Text?
        let aliases: Aliases?

        private enum CodingKeys: String, CodingKey {
            case issuer
            case tokenEndpoint = "token_endpoint"
            case aliases = "mtls_endpoint_aliases"
        }
    }

    /// A value that is not an object has no aliases.
    private struct Aliases: Decodable {
        let tokenEndpoint: TokenFields.Text?

        private enum CodingKeys: String, CodingKey {
            case tokenEndpoint = "token_endpoint"
        }

        init(from decoder: any Decoder) throws {
            let members = try? decoder.container(keyedBy: CodingKeys.self)
            tokenEndpoint = try? members?.decodeIfPresent(TokenFields.Text.self, forKey: .tokenEndpoint)
        }
    }

    /// The token endpoint; also the audience of an assertion whose settings name no other.
    package let tokenEndpoint: TokenURL
    /// The token endpoint for clients with a certificate, if it has an alias (RFC 8705 section 5).
    ///
    /// An unusable alias concerns only those clients.
    package let mutualTLSEndpoint: Result<TokenURL, Unusable>?

    /// Reads a response.
    ///
    /// - Parameters:
    ///   - response: The response to a request without a secret, so its text may be shown.
    ///   - issuer: The issuer that the metadata must name.
    /// - Throws: `Unusable` with the reason.
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
            throw Unusable(reason: "it is for the issuer \(shown ?? "of another name"), not for \(issuer)")
        }
        guard let text = fields.tokenEndpoint?.text else { throw Unusable(reason: "token_endpoint is missing") }
        tokenEndpoint = try Self.url(text, "token_endpoint", of: issuer)
        guard let alias = fields.aliases?.tokenEndpoint else {
            mutualTLSEndpoint = nil
            return
        }
        do throws(Unusable) {
            mutualTLSEndpoint = .success(
                try Self.url(alias.text ?? "", "mtls_endpoint_aliases.token_endpoint", of: issuer))
        } catch {
            mutualTLSEndpoint = .failure(error)
        }
    }

    /// The token endpoint for a grant: the alias for clients with a certificate if there is one and TLS presents a
    /// certificate.
    ///
    /// It does not matter whether the certificate authenticates the client or only binds the tokens.
    ///
    /// - Parameter presentsCertificate: Whether TLS presents a client certificate.
    /// - Returns: The address.
    /// - Throws: `Unusable` if the alias is unusable.
    package func tokenEndpoint(presentsCertificate: Bool) throws(Unusable) -> TokenURL {
        guard presentsCertificate, let mutualTLSEndpoint else { return tokenEndpoint }
        return try mutualTLSEndpoint.get()
    }

    private static func url(_ text: String, _ member: String, of issuer: Issuer) throws(Unusable) -> TokenURL {
        let url: TokenURL
        do throws(TokenURL.InvalidURL) {
            url = try TokenURL(text)
        } catch {
            throw Unusable(reason: "\(member) is not a usable address: \(error.description)")
        }
        guard url.scheme == .https || (issuer.url.scheme == .http && url.host == issuer.url.host) else {
            throw Unusable(reason: "\(member) would receive the secret in plain text")
        }
        return url
    }
}
