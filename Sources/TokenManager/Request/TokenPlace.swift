/// Where a token is asked for, and what the server there is called.
struct TokenPlace {
    /// Where the request goes.
    let url: TokenURL
    /// What an assertion names as its audience where the settings name none.
    ///
    /// RFC 7523 section 3 wants a value that identifies the server, which its `token_endpoint` does; an alias for clients with
    /// a certificate (RFC 8705 section 5) is another way to the same server and no other name of it.
    let audience: TokenURL

    init(_ url: TokenURL, audience: TokenURL? = nil) {
        self.url = url
        self.audience = audience ?? url
    }
}
