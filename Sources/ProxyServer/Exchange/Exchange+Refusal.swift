import EventTransport
import HTTPWire
import ProxyCore

/// A credential that the backend refuses: replaced, while the refusal is held back, or passed on with it.
extension Exchange {
    /// The backend's response says that the token is no good: the request goes once more with another, if there is one.
    func credentialWasRefused() {
        guard let credential, let slot, let upstream, let downstream else { return }
        worker.tokenRefused(credential)
        summary.isRefusalTold = true
        switch machine.credentialRefused(isRepeatable: request.isRepeatable) {
        case .pass:
            decisions?.tokenRefused(self, credentialName, next: "the response is passed on")
            credentials.refused(credential, slot)
            passRefusal(.unread)
        case .replace:
            decisions?.tokenRefused(self, credentialName, next: "another token is fetched")
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
            switch machine.credentialReplaced() {
            case .resend:
                self.slot = slot
                response.forgetRefusal()
                summary.isRefusalTold = false
                sendAgain(.tokenRefused)
            case .none: break
            }
        } else {
            decisions?.note(.tokenKept, self, ["why": "no other token was available"])
            switch machine.credentialKept() {
            case .pass(let rest): passRefusal(rest)
            case .none: break
            }
        }
    }

    /// Logs a 401 to a request with a credential that changes nothing about the token.
    func noteNotCounted(_ why: String) {
        guard let decisions, credential != nil else { return }
        summary.isRefusalTold = true
        decisions.notCounted(self, credentialName, why: why)
    }

    /// Puts what came behind a refusal to it, as far as there is room.
    func keepRefusal(_ bytes: Span<UInt8>) {
        guard response.keepRefusal(bytes) else {
            return upstreamLost(
                ProxyError(
                    .malformedResponse,
                    "\(endpointName) sent too much behind its refusal of the token; look at the backend's log"))
        }
        upstream?.stream.pauseReading()
    }

    /// Lets the response go to the app that was held back.
    func passRefusal(_ rest: ExchangeStateMachine.RefusalRest) {
        // First, as what was held back may be the whole response, or more than the app takes now.
        upstream?.stream.resumeReading()
        forwardResponse(response.takeRefusal().span, answering: summary.holdingNothingBack, before: rest)
    }
}
