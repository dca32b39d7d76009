import EventTransport
import HTTPWire
import ProxyCore
import TokenClient
import TokenManager

/// How an exchange gets its credential: it waits for a token if none is usable, and attaches one each time that it
/// sends the request.
extension Exchange {
    /// Asks for a token, as none is usable.
    func acquireCredential() {
        guard let credential else { preconditionFailure("an exchange without a credential waits for one") }
        decisions?.note(.credentialAwaited, self, ["credential": credentialName])
        if hasDetails { noteCredentialAwaited(else: .failed) }
        downstream?.deadline.credentialAwaited(at: loop.now)
        let serial = serial
        credentials.acquire(credential) { [self] result in
            guard serial == self.serial else { return }
            credentialArrived(result)
        }
    }

    private func credentialArrived(_ result: Result<CredentialTable.Slot, ProxyError>) {
        switch result {
        case .success(let slot):
            if hasDetails { noteArrival(.fetched) }
            switch machine.credentialAcquired() {
            case .acquireUpstream:
                self.slot = slot
                guard let destination, let downstream else {
                    preconditionFailure("a credential arrived without a destination or an app")
                }
                acquireUpstream(destination.endpoint, for: downstream)
                downstream.resumeRequest()
            case .answer, .none: break
            }
        case .failure(let error):
            switch machine.credentialFailed() {
            case .answer: answer(error)
            case .acquireUpstream, .none: break
            }
        }
    }

    /// Takes the token that is usable now: after the head was read, and again after a new connection was opened.
    ///
    /// - Returns: false if the request needs a token and none is usable.
    func takeSlot() -> Bool { credentials.lend(to: &state.value, at: loop.now) }

    /// Prepares the request's head for a connection to its destination: the only function that attaches a credential.
    ///
    /// `flushRequest()` sends it.
    func start(on connection: UpstreamConnection, at now: MonotonicInstant) {
        if decisions != nil, slot != nil { decisions?.attached(self, credentialName) }
        let proof = state.value.needsProof ? self.proof() : nil
        let lines = hasDetails ? traceLines() : nil
        state.value.start(on: connection.stream, traced: lines, proof: proof, at: now)
    }

    @inline(never)
    private func proof() -> String? {
        guard let slot, let endpoint = destination?.endpoint else { return nil }
        return request.head.proof(
            for: slot.line, to: endpoint.origin.scheme, nonce: ownNonce ?? endpoint.nonce,
            unixTime: LoopClock(loop: loop).unixTime)
    }

    /// The credential that the request waits for or carries.
    var credentialName: String { credential.map(credentials.name(of:)) ?? "" }
}

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
