extension RequestParameters {
    /// Whether a token server refused what this request said, and not the client, its grant or the credential's
    /// settings.
    ///
    /// - Parameters:
    ///   - error: The refusal.
    ///   - standInPath: Whether the request named a part of the token endpoint's path.
    /// - Returns: False if the refusal concerns the client, and so every other variant.
    func areToBlame(for error: TokenError, standInPath: Bool) -> Bool {
        guard case .tokenServerRefused(let status, let code) = error.kind else { return false }
        switch (status, code) {
        case (429, _): return false
        // RFC 6749 section 5.2; the grant is part of the request only if the request brings it itself.
        case (_, "invalid_client"), (_, "unauthorized_client"), (_, "unsupported_grant_type"): return false
        case (_, "invalid_grant"): return bearerToken != nil
        // RFC 9449 sections 5 and 8.
        case (_, "invalid_dpop_proof"), (_, "use_dpop_nonce"): return false
        case (403, nil): return true
        // The server found the address wrong, and the request named a part of it.
        case (400, nil), (404, nil), (410, nil), (422, nil): return standInPath
        // A server says no more about an unknown client.
        case (_, nil): return false
        default: return (400...499).contains(status)
        }
    }
}
