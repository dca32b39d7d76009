import EventTransport
import HTTPWire
import ProxyCore
import TokenClient
import TokenManager

/// The proof beside a token that is bound to a key (DPoP): made for each sending, and once more with a nonce.
extension Exchange {
    /// Replaces the pending credential, and notes which token it is.
    func attach(_ slot: CredentialTable.Slot) {
        record.note(slot, at: loop.now)
        // A new connection has the token looked up again; most often it is the same.
        if let decisions, !request.hasPending(slot.line) { decisions.attached(self, credentialName) }
        attach(slot.line)
    }

    /// Replaces the pending credential, and adds the proof that the new one needs.
    func attach(_ line: AuthorizationLine) {
        guard line.binding != nil, let endpoint else { return request.replaceCredential(with: line) }
        request.replaceCredential(
            with: request.withPending { head in
                line.proven(
                    for: head, to: endpoint.hostLine, nonce: ownNonce ?? endpoint.nonce,
                    unixTime: LoopClock(loop: loop).unixTime)
            })
    }

    /// Keeps the nonce that the response brought, for the proofs to come.
    func keepNonce() {
        guard let nonce = response.takeNonce() else { return }
        ownNonce = nonce
        endpoint?.nonce = nonce
    }

    /// The backend's response says that the proof lacks a nonce: the request goes once more with it.
    func nonceWasAsked() {
        switch machine.nonceAsked(isRepeatable: request.isRepeatable) {
        case .pass:
            noteNotCounted("it asks for a nonce, and the request cannot be sent again")
            passRefusal(.unread)
        case .resend:
            request.rewind()
            response.forgetRefusal()
            sendAgain(.nonceAsked)
        }
    }
}
