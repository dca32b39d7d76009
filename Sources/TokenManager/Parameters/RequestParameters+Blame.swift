extension RequestParameters {
    /// Whether a token server refused what this request said, and not the client, its grant or the credential's settings.
    func areToBlame(for error: TokenError) -> Bool {
        guard case .tokenServerRefused(let status, let code) = error.kind else { return false }
        switch (status, code) {
        case (429, _): return false
        // RFC 6749 section 5.2; what is granted is the request's only where it brings it itself.
        case (_, "invalid_client"), (_, "unauthorized_client"), (_, "unsupported_grant_type"): return false
        case (_, "invalid_grant"): return bearerToken != nil
        // RFC 9449 sections 5 and 8.
        case (_, "invalid_dpop_proof"), (_, "use_dpop_nonce"): return false
        case (403, nil): return true
        // No more is said of an unknown client or of a wrong address.
        case (_, nil): return false
        default: return (400...499).contains(status)
        }
    }
}
