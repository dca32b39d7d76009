/// Where a token is asked for.
public enum TokenEndpoint: Sendable, Hashable {
    /// At this address.
    case url(TokenURL)
    /// Where the issuer's metadata says.
    ///
    /// The metadata is kept for a day, and read again when two requests in a row to the endpoint got no answer of use. An
    /// endpoint in plain text is taken only on the issuer's own host, and only if the issuer is in plain text itself. With a
    /// client certificate the token is asked for at the metadata's alias for such clients (`mtls_endpoint_aliases`, RFC 8705
    /// section 5), if there is one.
    case issuer(Issuer)
}
