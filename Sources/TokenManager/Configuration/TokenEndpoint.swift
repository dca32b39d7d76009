/// The token endpoint of a credential.
public enum TokenEndpoint: Sendable, Hashable {
    /// A configured address.
    case url(TokenURL)
    /// The endpoint that the issuer's metadata names.
    ///
    /// The metadata is kept for a day, and read again when two requests in a row to the endpoint got no useful
    /// response. An endpoint in plain text is accepted only on the issuer's own host, and only if the issuer is in
    /// plain text itself. A client with a certificate uses the metadata's alias for such clients
    /// (`mtls_endpoint_aliases`, RFC 8705 section 5), if there is one.
    case issuer(Issuer)
}

/// An authorization server, named by its issuer identifier; its metadata names the token endpoint (RFC 8414).
public struct Issuer: Sendable, Hashable, CustomStringConvertible {
    /// The identifier exactly as written; the server's metadata must name the same text.
    public let identifier: String
    /// The identifier as an address.
    public let url: TokenURL

    /// Reads an identifier such as `https://idp.example/realms/main`.
    ///
    /// - Parameter identifier: The identifier, an address without query and fragment.
    /// - Throws: `TokenURL.InvalidURL` with the reason.
    public init(_ identifier: String) throws(TokenURL.InvalidURL) {
        url = try TokenURL(identifier)
        guard !identifier.contains("?") else {
            throw TokenURL.InvalidURL(description: "the URL contains a query (?), which no issuer has")
        }
        self.identifier = identifier
    }

    /// The identifier.
    public var description: String { identifier }

    /// The possible addresses of the metadata, in the order in which they are tried.
    ///
    /// RFC 8414 section 3.1 inserts its path before the issuer's, OpenID Connect Discovery section 4.1 appends its
    /// own. Some servers do the opposite, so each of the two is tried in both ways.
    package var metadataURLs: [TokenURL] {
        let inserted = "/.well-known/oauth-authorization-server"
        let appended = "/.well-known/openid-configuration"
        let path = url.path.hasSuffix("/") ? String(url.path.dropLast()) : url.path
        let paths = [inserted + path, path + appended, appended + path, path + inserted]
        return paths.enumerated().filter { paths[..<$0].contains($1) == false }.map { url.replacing(path: $1) }
    }
}
