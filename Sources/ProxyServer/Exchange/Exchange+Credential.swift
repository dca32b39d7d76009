import EventTransport
import HTTPWire
import ProxyCore

/// The credential of an exchange: waited for where there is none.
extension Exchange {
    /// Keeps the head and asks for its credential, which is not there yet.
    func awaitCredential(_ credential: CredentialUse, _ head: consuming ForwardableHead) {
        heldHead = HeldHead(head)
        switch machine.headReceived(needsCredential: true) {
        case .acquireCredential: break
        case .acquireUpstream: preconditionFailure("a head without its credential was let through")
        }
        acquireCredential(credential)
    }

    private func acquireCredential(_ credential: CredentialUse) {
        decisions?.note(.credentialAwaited, self, ["credential": credentialName])
        downstream?.deadline.credentialAwaited(at: loop.now)
        let serial = serial
        credentials.acquire(credential) { [self] result in
            guard serial == self.serial else { return }
            credentialArrived(result)
        }
    }

    /// Makes sure that the pending head carries a credential that may be sent now, as its connection took its time.
    ///
    /// - Returns: false where there is none, and one is awaited.
    func hasGoodCredential() -> Bool {
        guard let credential else { return true }
        guard let slot = credentials.slot(credential, at: loop.now) else {
            machine.credentialEnded()
            acquireCredential(credential)
            return false
        }
        attach(slot)
        return true
    }

    private func credentialArrived(_ result: Result<CredentialTable.Slot, ProxyError>) {
        switch result {
        case .success(let slot):
            switch machine.credentialAcquired() {
            case .acquireUpstream:
                if let held = heldHead?.take() {
                    heldHead = nil
                    setHead(UpstreamRequestHead(held, authorization: slot.line), slot)
                } else {
                    attach(slot)
                }
                acquireUpstream()
                downstream?.resumeRequest()
            case .answer, .none: break
            }
        case .failure(let error):
            switch machine.credentialFailed() {
            case .answer: answer(error)
            case .acquireUpstream, .none: break
            }
        }
    }

    /// The credential that the request waits for.
    var credentialName: String { credential.map(credentials.name(of:)) ?? "" }
}

/// A noncopyable head kept in an object while its credential is fetched.
final class HeldHead {
    private var head: ForwardableHead?

    init(_ head: consuming ForwardableHead) { self.head = consume head }

    func take() -> ForwardableHead? { head.take() }
}
