/// The endpoint for a token request, and the server's own name for it.
struct TokenPlace {
    /// The address of the request.
    let url: TokenURL
    /// The audience of an assertion whose settings name none.
    ///
    /// RFC 7523 section 3 requires a value that identifies the server, such as its `token_endpoint`. An alias for
    /// clients with a certificate (RFC 8705 section 5) is only another way to the same server.
    let audience: TokenURL

    init(_ url: TokenURL, audience: TokenURL? = nil) {
        self.url = url
        self.audience = audience ?? url
    }
}
