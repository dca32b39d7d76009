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
