import EventTransport
import HTTPWire
import ProxyCore

/// What an exchange does when the backend refuses its credential: it replaces the token, or passes the refusal on.
extension Exchange {
    /// The backend refused the token: holds the response back and asks for another token, or passes the response on.
    func credentialWasRefused() {
        guard let credential, let slot, let upstream, let downstream else { return }
        worker.tokenRefused(credential)
        summary.isRefusalTold = true
        switch machine.credentialRefused(isRepeatable: request.isRepeatable) {
        case .pass:
            decisions?.tokenRefused(self, credentialName, next: "the response is passed on")
            if hasDetails { noteOutcome(.refused) }
            credentials.refused(credential, slot)
            passRefusal(.unread)
        case .replace:
            decisions?.tokenRefused(self, credentialName, next: "another token is fetched")
            if hasDetails { noteCredentialAwaited(else: .refused) }
            upstream.stream.pauseReading()
            downstream.deadline.credentialAwaited(at: loop.now)
            let serial = serial
            credentials.replace(credential, slot) { [self] slot in
                guard serial == self.serial else { return }
                replacementArrived(slot)
            }
        }
    }

    private func replacementArrived(_ slot: CredentialTable.Slot?) {
        if let slot {
            if hasDetails { noteArrival(.replaced) }
            switch machine.credentialReplaced() {
            case .resend:
                self.slot = slot
                response.forgetRefusal()
                summary.isRefusalTold = false
                sendAgain(.tokenRefused)
            case .none: break
            }
        } else {
            if hasDetails { noteWaitEnd() }
            decisions?.note(.tokenKept, self, ["why": "no other token was available"])
            switch machine.credentialKept() {
            case .pass(let rest): passRefusal(rest)
            case .none: break
            }
        }
    }

    /// Logs why a 401 to a request with a credential does not count as a refusal of its token.
    func noteNotCounted(_ why: String) {
        guard let decisions, credential != nil else { return }
        summary.isRefusalTold = true
        decisions.notCounted(self, credentialName, why: why)
    }

    /// Adds bytes to the refusal that is held back, and ends the exchange if they exceed the limit.
    func keepRefusal(_ bytes: Span<UInt8>) {
        guard response.keepRefusal(bytes) else {
            return upstreamLost(
                ProxyError(
                    .malformedResponse,
                    "\(endpointName) sent too much after its refusal of the token; look at the backend's log"))
        }
        upstream?.stream.pauseReading()
    }

    /// Passes the response that was held back to the app.
    func passRefusal(_ rest: ExchangeStateMachine.RefusalRest) {
        // Resume before forwarding, which may end the exchange or pause the connection again.
        upstream?.stream.resumeReading()
        summary.holdNothingBack()
        guard let downstream else { return }
        forwardResponse(response.takeRefusal().span, before: rest, to: downstream)
    }
}
