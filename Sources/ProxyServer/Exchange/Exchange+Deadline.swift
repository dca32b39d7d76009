import EventTransport
import ProxyCore

/// What an exchange does when its deadline has passed.
extension Exchange {
    /// Ends the exchange, or its wait for a token, after a timeout.
    func deadlinePassed() {
        let limits = rules.limits
        switch machine.deadlinePassed(upstreamBlocked: upstream.map { $0.stream.queuedByteCount > 0 } ?? false) {
        case .answerCredentialTimeout:
            answer(
                ProxyError(
                    .credentialTimeout,
                    "credential \(credentialName): its token server did not answer within \(limits.acquireTimeout.settingText) "
                        + "(limits.acquireTimeout); check that attache can reach the token server",
                    retryAfter: 1))
        case .answerRequestTimeout:
            answer(
                ProxyError(
                    .requestBodyTimeout,
                    "The next KiB of the request's body, or its end, did not arrive within \(limits.bodyTimeout.settingText) "
                        + "(limits.bodyTimeout); send it faster, or raise the limit"))
        case .answerResponseTimeout:
            answer(
                ProxyError(
                    .responseTimeout,
                    "\(endpointName) did not answer within \(timeouts.response); raise the timeout for slow requests, or look at "
                        + "the backend's log"))
        case .passRefusal(let rest): passRefusal(rest)
        case .abortDownstream: cut(late())
        case .none: break
        }
    }

    /// The error that names the side that timed out after the response had begun.
    private func late() -> ProxyError {
        switch downstream?.deadline.awaited {
        case .appReading:
            ProxyError(
                .responseNotRead,
                "The app read nothing of its response for \(rules.limits.idleTimeout.settingText) (limits.idleTimeout); let it read the "
                    + "response, or raise the limit")
        case .appSending:
            ProxyError(
                .requestBodyTimeout,
                "The next KiB of the request's body, or its end, did not arrive within \(rules.limits.bodyTimeout.settingText) "
                    + "(limits.bodyTimeout), and the response had not ended; send it faster, or raise the limit")
        case .backendReading:
            ProxyError(
                .responseTimeout,
                "\(endpointName) read nothing of the request for \(timeouts.response); look at the backend's log")
        case .backendSending, nil:
            ProxyError(
                .responseTimeout,
                "\(endpointName) sent nothing more of its response for \(timeouts.streamIdle); raise the timeout for streams "
                    + "with long silences")
        }
    }
}
