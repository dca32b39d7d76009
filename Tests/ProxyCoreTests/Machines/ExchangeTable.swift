import ProxyCore

/// Every event in every state of an exchange; what is not here is a bug of our own and traps.
enum ExchangeTable {
    private static let attempts: [ExchangeStateMachine.Attempt] = [.first, .withNonce, .withToken, .last]
    private static let waiting: [ExchangeState] = attempts.flatMap { attempt in
        [.forwarding(.sending, .awaitingHead, attempt), .forwarding(.sent, .awaitingHead, attempt)]
    }
    private static let streaming: [ExchangeState] = attempts.flatMap { attempt in
        [.forwarding(.sending, .streaming, attempt), .forwarding(.sent, .streaming, attempt)]
    }
    /// The body decides whether the response refuses the token.
    private static let suspected: [ExchangeState] = attempts.flatMap { attempt in
        [.forwarding(.sending, .suspected, attempt), .forwarding(.sent, .suspected, attempt)]
    }
    private static let over: [ExchangeState] = [.finished, .aborted]
    private static let waitingForCredential = attempts.map(ExchangeState.acquiringCredential)
    /// While a refusal is held back, the attempt is the one that another token would begin.
    private static let replacing: [ExchangeStateMachine.Attempt] = [.withToken, .last]
    private static let holding = [ExchangeStateMachine.RefusalRest.unread, .ended, .lost].flatMap { rest in
        replacing.map { ExchangeState.replacingCredential(rest, $0) }
    }
    private static let unread = replacing.map { ExchangeState.replacingCredential(.unread, $0) }
    private static let acquiring = attempts.map(ExchangeState.acquiringUpstream)

    static let all =
        begin + credential + refusal + suspicion + nonce + upstream + tunnel + response + flow + loss + failure
        + deadlines
        + departures

    static func find(_ from: ExchangeState, _ event: ExchangeEvent) -> ExchangeTransition? {
        all.first { $0.from == from && $0.event == event }
    }

    private static func row(
        _ from: ExchangeState, _ event: ExchangeEvent, _ action: ExchangeAction, _ to: ExchangeState
    ) -> ExchangeTransition {
        ExchangeTransition(from: from, event: event, action: action, to: to)
    }

    private static func unchanged(
        _ states: [ExchangeState], _ event: ExchangeEvent, _ action: ExchangeAction
    ) -> [ExchangeTransition] {
        states.map { row($0, event, action, $0) }
    }

    private static func each(
        _ states: [ExchangeState], _ event: ExchangeEvent, _ action: ExchangeAction, _ to: ExchangeState
    ) -> [ExchangeTransition] {
        states.map { row($0, event, action, to) }
    }

    private static let begin = [
        row(
            .awaitingHead, .headReceived(needsCredential: true), .head(.acquireCredential), .acquiringCredential(.first)
        ),
        row(.awaitingHead, .headReceived(needsCredential: false), .head(.acquireUpstream), .acquiringUpstream(.first)),
        row(.awaitingHead, .answeredLocally, .noted, .finished),
    ]

    private static let credential =
        attempts.flatMap { attempt in
            [
                row(
                    .acquiringCredential(attempt), .credentialAcquired, .credential(.acquireUpstream),
                    .acquiringUpstream(attempt)),
                row(.acquiringUpstream(attempt), .credentialEnded, .noted, .acquiringCredential(attempt)),
            ]
        } + each(waitingForCredential, .credentialFailed, .credential(.answer), .finished)
        + unchanged(over, .credentialAcquired, .credential(.none))
        + unchanged(over, .credentialFailed, .credential(.none))

    /// What the body decides, or the end of the response before it has decided: then what came of it is passed on.
    private static let suspicion = attempts.flatMap { attempt in
        [.sending, .sent].flatMap { (side: ExchangeStateMachine.RequestSide) in
            let (waiting, suspected) = (
                ExchangeState.forwarding(side, .awaitingHead, attempt),
                ExchangeState.forwarding(side, .suspected, attempt)
            )
            let isReplaceable = side == .sent && [.first, .withNonce].contains(attempt)
            return [
                row(waiting, .refusalSuspected, .noted, suspected),
                row(suspected, .refusalSuspected, .noted, suspected),
                row(suspected, .suspicionCleared, .noted, waiting),
                row(
                    suspected, refused, .credentialRefused(isReplaceable ? .replace : .pass),
                    isReplaceable ? .replacingCredential(.unread, attempt == .first ? .withToken : .last) : waiting),
                row(suspected, .credentialRefused(isRepeatable: false), .credentialRefused(.pass), waiting),
                row(suspected, .upstreamEnded, .upstreamEnded(.passRefusal), waiting),
                row(suspected, .upstreamFailed(isReplayable: true), .upstreamFailed(.passRefusal), waiting),
                row(suspected, .upstreamFailed(isReplayable: false), .upstreamFailed(.passRefusal), waiting),
                row(suspected, .deadlinePassed(upstreamBlocked: true), .deadline(.passRefusal(.unread)), waiting),
                row(suspected, .deadlinePassed(upstreamBlocked: false), .deadline(.passRefusal(.unread)), waiting),
            ]
        } + [
            row(
                .forwarding(.sending, .suspected, attempt), .requestSent, .noted,
                .forwarding(.sent, .suspected, attempt))
        ]
    }

    private static let refused: ExchangeEvent = .credentialRefused(isRepeatable: true)

    /// A request goes again once with another token, also when it has gone again with a nonce.
    private static let refusal =
        [
            row(
                .forwarding(.sent, .awaitingHead, .first), refused, .credentialRefused(.replace),
                .replacingCredential(.unread, .withToken)),
            row(
                .forwarding(.sent, .awaitingHead, .withNonce), refused, .credentialRefused(.replace),
                .replacingCredential(.unread, .last)),
        ]
        + replacing.flatMap { attempt in
            // What came is passed on with what may still come of it.
            [ExchangeStateMachine.RefusalRest.unread, .ended, .lost].flatMap { rest in
                [
                    row(
                        .replacingCredential(rest, attempt), .credentialKept, .credentialKept(.pass(rest)),
                        .forwarding(.sent, .awaitingHead, .last)),
                    row(
                        .replacingCredential(rest, attempt), .credentialReplaced, .credentialReplaced(.resend),
                        .acquiringUpstream(attempt)),
                ]
            }
        }
        + unchanged(
            waiting.filter { state in
                ![.first, .withNonce].contains { state == .forwarding(.sent, .awaitingHead, $0) }
            }, refused, .credentialRefused(.pass))
        + unchanged(waiting, .credentialRefused(isRepeatable: false), .credentialRefused(.pass))
        + unchanged(waiting + suspected + streaming + over, .credentialReplaced, .credentialReplaced(.none))
        + unchanged(waiting + suspected + streaming + over, .credentialKept, .credentialKept(.none))

    /// A request goes again once with a nonce, also when it has gone again with another token.
    private static let nonce =
        [
            row(
                .forwarding(.sent, .awaitingHead, .first), .nonceAsked(isRepeatable: true), .nonceAsked(.resend),
                .acquiringUpstream(.withNonce)),
            row(
                .forwarding(.sent, .awaitingHead, .withToken), .nonceAsked(isRepeatable: true), .nonceAsked(.resend),
                .acquiringUpstream(.last)),
        ]
        + unchanged(
            waiting.filter { state in
                ![.first, .withToken].contains { state == .forwarding(.sent, .awaitingHead, $0) }
            }, .nonceAsked(isRepeatable: true), .nonceAsked(.pass))
        + unchanged(waiting, .nonceAsked(isRepeatable: false), .nonceAsked(.pass))

    private static let upstream =
        attempts.map { attempt in
            row(
                .acquiringUpstream(attempt), .upstreamAcquired, .noted, .forwarding(.sending, .awaitingHead, attempt))
        } + each(acquiring, .upstreamUnavailable, .noted, .finished)

    /// The connection of a CONNECT, or the backend's 101 to a whole request.
    private static let tunnel = each(
        acquiring + attempts.map { .forwarding(.sent, .awaitingHead, $0) }, .tunnelBegan, .noted, .finished)

    private static let response = attempts.flatMap { attempt in
        [
            row(
                .forwarding(.sending, .awaitingHead, attempt), .requestSent, .noted,
                .forwarding(.sent, .awaitingHead, attempt)),
            row(
                .forwarding(.sending, .streaming, attempt), .requestSent, .noted,
                .forwarding(.sent, .streaming, attempt)),
            row(
                .forwarding(.sending, .awaitingHead, attempt), .responseHeadReceived, .noted,
                .forwarding(.sending, .streaming, attempt)),
            row(
                .forwarding(.sent, .awaitingHead, attempt), .responseHeadReceived, .noted,
                .forwarding(.sent, .streaming, attempt)),
            row(.forwarding(.sending, .streaming, attempt), .responseEnded, .responseEnded(.close), .finished),
            row(.forwarding(.sent, .streaming, attempt), .responseEnded, .responseEnded(.reuse), .finished),
        ]
    }

    /// While a refusal is held back nothing of it goes on, and one end of its connection is all that can come.
    private static let flow =
        replacing.map { attempt in
            row(
                .replacingCredential(.unread, attempt), .upstreamEnded, .upstreamEnded(.releaseUpstream),
                .replacingCredential(.ended, attempt))
        }
        + unchanged(unread, .responseReceived, .responseReceived(.keep))
        + unchanged(unread, .upstreamDrained, .upstreamDrained(.none))
        + unchanged(unread, .upstreamBlocked, .upstreamBlocked(.none))
        + unchanged(holding + waitingForCredential + acquiring, .downstreamBlocked, .downstreamBlocked(.none))
        + unchanged(holding + waitingForCredential + acquiring, .downstreamDrained, .downstreamDrained(.none))
        + unchanged(waiting + suspected + streaming, .responseReceived, .responseReceived(.forward))
        + unchanged(waiting + streaming, .upstreamEnded, .upstreamEnded(.endResponse))
        + unchanged(waiting + suspected + streaming, .upstreamBlocked, .upstreamBlocked(.awaitRoom))
        + unchanged(waiting + suspected + streaming, .downstreamBlocked, .downstreamBlocked(.pauseUpstream))
        + unchanged(waiting + suspected + streaming, .upstreamDrained, .upstreamDrained(.renewDeadline))
        + unchanged(waiting + suspected + streaming, .downstreamDrained, .downstreamDrained(.resumeUpstream))

    private static let loss =
        [.sending, .sent].flatMap { (side: ExchangeStateMachine.RequestSide) in
            attempts.map { attempt in
                row(
                    .forwarding(side, .awaitingHead, attempt), .upstreamFailed(isReplayable: true),
                    .upstreamFailed(attempt == .first ? .resend : .answer),
                    attempt == .first ? .acquiringUpstream(.last) : .finished)
            }
        } + each(waiting, .upstreamFailed(isReplayable: false), .upstreamFailed(.answer), .finished)
        + [true, false].flatMap { isReplayable in
            replacing.map { attempt in
                row(
                    .replacingCredential(.unread, attempt), .upstreamFailed(isReplayable: isReplayable),
                    .upstreamFailed(.releaseUpstream), .replacingCredential(.lost, attempt))
            }
        }
        + each(streaming, .upstreamFailed(isReplayable: true), .upstreamFailed(.abortDownstream), .aborted)
        + each(streaming, .upstreamFailed(isReplayable: false), .upstreamFailed(.abortDownstream), .aborted)

    private static let failure =
        each(waiting + suspected, .requestFailed, .requestFailed(.answer), .finished)
        + each(streaming, .requestFailed, .requestFailed(.abortDownstream), .aborted)

    private static let deadlines = [true, false].flatMap { isBlocked in
        let event = ExchangeEvent.deadlinePassed(upstreamBlocked: isBlocked)
        // A body that the backend leaves no room for is the backend's delay, not the app's.
        let whileSending = ExchangeStateMachine.DeadlineAction.self
        return each(waitingForCredential, event, .deadline(.answerCredentialTimeout), .finished)
            + [ExchangeStateMachine.RefusalRest.unread, .ended, .lost].flatMap { rest in
                replacing.map { attempt in
                    row(
                        .replacingCredential(rest, attempt), event, .deadline(.passRefusal(rest)),
                        .forwarding(.sent, .awaitingHead, .last))
                }
            }
            + unchanged(acquiring, event, .deadline(.none))
            + attempts.flatMap { attempt in
                [
                    row(
                        .forwarding(.sending, .awaitingHead, attempt), event,
                        .deadline(isBlocked ? whileSending.answerResponseTimeout : whileSending.answerRequestTimeout),
                        .finished),
                    row(
                        .forwarding(.sent, .awaitingHead, attempt), event, .deadline(.answerResponseTimeout), .finished),
                ]
            }
            + each(streaming, event, .deadline(.abortDownstream), .aborted) + unchanged(over, event, .deadline(.none))
    }

    private static let departures =
        each(
            [.awaitingHead] + holding + waitingForCredential + acquiring + waiting + suspected + streaming,
            .downstreamClosed, .noted, .aborted
        )
        + unchanged(over, .downstreamClosed, .noted)
}
