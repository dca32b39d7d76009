extension RequestParameters {
    /// Whether a token server refused what this request said, and not the client, its grant or the credential's settings.
    ///
    /// - Parameters:
    ///   - error: The refusal.
    ///   - standInPath: Whether the request named a part of the token endpoint's path.
    /// - Returns: False where it says something about the client, and so about every other value.
    func areToBlame(for error: TokenError, standInPath: Bool) -> Bool {
        guard case .tokenServerRefused(let status, let code) = error.kind else { return false }
        switch (status, code) {
        case (429, _): return false
        // RFC 6749 section 5.2; what is granted is the request's only where it brings it itself.
        case (_, "invalid_client"), (_, "unauthorized_client"), (_, "unsupported_grant_type"): return false
        case (_, "invalid_grant"): return bearerToken != nil
        // RFC 9449 sections 5 and 8.
        case (_, "invalid_dpop_proof"), (_, "use_dpop_nonce"): return false
        case (403, nil): return true
        // The address was found wrong, and the request had its part in it.
        case (400, nil), (404, nil), (410, nil), (422, nil): return standInPath
        // No more is said of an unknown client.
        case (_, nil): return false
        default: return (400...499).contains(status)
        }
    }
}
