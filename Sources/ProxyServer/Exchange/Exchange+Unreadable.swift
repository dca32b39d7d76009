import EventTransport
import HTTPWire
import ProxyCore

/// A request whose head cannot be read: the exchange only answers it.
extension Exchange {
    /// Refuses a request whose head breaks a rule of HTTP or a limit.
    func refuse(_ error: MessageError, in bytes: Span<UInt8>) {
        if error == .tlsInsteadOfHTTP, let tunnel = downstream?.terminated {
            return refuseTLS(inside: tunnel.destination)
        }
        record.note(refused: bytes)
        let isForGateway = downstream?.admission?.rules?.gateway != nil
        refuse(ProxyError(.malformedRequest(error), error.advice(rules.limits, isForGateway: isForGateway)))
    }

    /// Refuses a request whose head was not complete in time; `bytes` are its beginning.
    func headTimedOut(_ bytes: Span<UInt8>) {
        record.note(refused: bytes)
        record.began(at: loop.now.advanced(byNanoseconds: -rules.timeouts.head))
        refuse(
            ProxyError(
                .requestHeadTimeout,
                "The head of the request was not complete within \(rules.limits.headTimeout.settingText) (limits.headTimeout); send it "
                    + "faster, or raise the limit"))
    }
}
