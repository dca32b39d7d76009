/// The newest nonce of each token server that demands one in proofs (RFC 9449 section 8).
struct ServerNonces {
    private var nonces: [String: String] = [:]

    /// The newest nonce of the server behind an address.
    subscript(url: TokenURL) -> String? { nonces[Self.server(of: url)] }

    /// Keeps the nonce in the response to a request with a proof.
    ///
    /// - Returns: Whether the server refused the proof because it lacked this nonce, so that another proof may
    ///   succeed.
    mutating func answered(_ result: Result<TokenResponse, TokenTransportError>, from url: TokenURL) -> Bool {
        guard case .success(let response) = result, let nonce = response.dpopNonce, ProofKey.isNonce(nonce) else {
            return false
        }
        nonces[Self.server(of: url)] = nonce
        return TokenAnswer.asksForNonce(response)
    }

    private static func server(of url: TokenURL) -> String { "\(url.scheme.rawValue)://\(url.authority)" }
}
