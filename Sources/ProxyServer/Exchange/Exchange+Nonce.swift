import ProxyCore

/// The nonce that a backend demands in the proof beside a token (DPoP, RFC 9449 section 9).
extension Exchange {
    /// Keeps the nonce from the response for later proofs.
    func keepNonce() {
        guard let nonce = response.takeNonce() else { return }
        ownNonce = nonce
        destination?.endpoint.nonce = nonce
    }

    /// The backend's response says that the proof lacks a nonce: sends the request once more with the nonce.
    func nonceWasAsked() {
        switch machine.nonceAsked(isRepeatable: request.isRepeatable) {
        case .pass:
            noteNotCounted("it asks for a nonce, and the request cannot be sent again")
            passRefusal(.unread)
        case .resend:
            response.forgetRefusal()
            sendAgain(.nonceAsked)
        }
    }
}
