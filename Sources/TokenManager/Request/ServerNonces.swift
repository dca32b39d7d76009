/// The newest nonce of each token server that wants to see one in proofs (RFC 9449 section 8).
struct ServerNonces {
    private var nonces: [String: String] = [:]

    /// The newest nonce of the server behind an address.
    subscript(url: TokenURL) -> String? { nonces[Self.server(of: url)] }

    /// Remembers the nonce of an answer to a request with a proof.
    ///
    /// - Returns: Whether the server refused the proof for want of this nonce, so that another one may do.
    mutating func answered(_ result: Result<TokenResponse, TokenTransportError>, from url: TokenURL) -> Bool {
        guard case .success(let response) = result, let nonce = response.dpopNonce, ProofKey.isNonce(nonce) else {
            return false
        }
        nonces[Self.server(of: url)] = nonce
        return TokenAnswer.asksForNonce(response)
    }

    private static func server(of url: TokenURL) -> String { "\(url.scheme.rawValue)://\(url.authority)" }
}
