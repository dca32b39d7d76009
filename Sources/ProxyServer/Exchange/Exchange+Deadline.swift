import EventTransport
import ProxyCore

/// A limit of time that has passed.
extension Exchange {
    /// Whatever the exchange waits for has not come in time.
    func deadlinePassed() {
        let limits = worker.limits
        switch machine.deadlinePassed(upstreamBlocked: upstream.map { $0.stream.queuedByteCount > 0 } ?? false) {
        case .answerCredentialTimeout:
            answer(
                ProxyError(
                    .credentialTimeout,
                    "credential \(credentialName): its token server has given no answer yet, and a request waits "
                        + "\(limits.acquireTimeout) for it (acquireTimeout); check that the server can be reached",
                    retryAfter: 1))
        case .answerRequestTimeout:
            answer(
                ProxyError(
                    .requestBodyTimeout,
                    "The request's body brought neither its next KiB nor its end within \(limits.bodyTimeout) (bodyTimeout)"
                ))
        case .answerResponseTimeout:
            answer(ProxyError(.responseTimeout, "\(endpointName) did not answer within \(timeouts.response)"))
        case .passRefusal(let rest): passRefusal(rest)
        case .abortDownstream: cut(late())
        case .none: break
        }
    }

    /// Who was late after the response had begun.
    private func late() -> ProxyError {
        switch downstream?.deadline.awaited {
        case .appReading:
            ProxyError(
                .responseNotRead,
                "The app read nothing of its response for \(worker.limits.idleTimeout) (limits.idleTimeout)")
        case .appSending:
            ProxyError(
                .requestBodyTimeout,
                "The request's body brought neither its next KiB nor its end within \(worker.limits.bodyTimeout) "
                    + "(limits.bodyTimeout), and the response did not end")
        case .backendReading:
            ProxyError(.responseTimeout, "\(endpointName) read nothing of the request for \(timeouts.response)")
        case .backendSending, nil:
            ProxyError(
                .responseTimeout, "\(endpointName) sent nothing more of its response for \(timeouts.streamIdle)")
        }
    }
}
