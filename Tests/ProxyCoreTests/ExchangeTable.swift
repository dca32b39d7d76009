import ProxyCore

/// Every event in every state of an exchange; what is not here is a bug of our own and traps.
enum ExchangeTable {
    private static let waiting: [ExchangeState] = [
        .forwarding(.sending, .awaitingHead, .first), .forwarding(.sending, .awaitingHead, .second),
        .forwarding(.sent, .awaitingHead, .first), .forwarding(.sent, .awaitingHead, .second),
    ]
    private static let streaming: [ExchangeState] = [
        .forwarding(.sending, .streaming, .first), .forwarding(.sending, .streaming, .second),
        .forwarding(.sent, .streaming, .first), .forwarding(.sent, .streaming, .second),
    ]
    private static let over: [ExchangeState] = [.finished, .aborted]
    private static let waitingForCredential: [ExchangeState] = [
        .acquiringCredential(.first), .acquiringCredential(.second),
    ]
    private static let holding: [ExchangeState] = [
        .replacingCredential(.unread), .replacingCredential(.ended), .replacingCredential(.lost),
    ]
    private static let acquiring: [ExchangeState] = [.acquiringUpstream(.first), .acquiringUpstream(.second)]

    static let all =
        begin + credential + refusal + nonce + upstream + response + flow + loss + failure + deadlines + departures

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
    ]

    private static let credential =
        [
            row(
                .acquiringCredential(.first), .credentialAcquired, .credential(.acquireUpstream),
                .acquiringUpstream(.first)),
            row(
                .acquiringCredential(.second), .credentialAcquired, .credential(.acquireUpstream),
                .acquiringUpstream(.second)),
            row(.acquiringUpstream(.first), .credentialEnded, .noted, .acquiringCredential(.first)),
            row(.acquiringUpstream(.second), .credentialEnded, .noted, .acquiringCredential(.second)),
        ] + each(waitingForCredential, .credentialFailed, .credential(.answer), .finished)
        + unchanged(over, .credentialAcquired, .credential(.none))
        + unchanged(over, .credentialFailed, .credential(.none))

    private static let refused: ExchangeEvent = .credentialRefused(isRepeatable: true)

    private static let refusal =
        [
            row(
                .forwarding(.sent, .awaitingHead, .first), refused, .credentialRefused(.replace),
                .replacingCredential(.unread)),
            // What came is passed on with what may still come of it.
            row(
                .replacingCredential(.unread), .credentialKept, .credentialKept(.pass(.unread)),
                .forwarding(.sent, .awaitingHead, .second)),
            row(
                .replacingCredential(.ended), .credentialKept, .credentialKept(.pass(.ended)),
                .forwarding(.sent, .awaitingHead, .second)),
            row(
                .replacingCredential(.lost), .credentialKept, .credentialKept(.pass(.lost)),
                .forwarding(.sent, .awaitingHead, .second)),
        ] + each(holding, .credentialReplaced, .credentialReplaced(.resend), .acquiringUpstream(.second))
        + unchanged(
            waiting.filter { $0 != .forwarding(.sent, .awaitingHead, .first) }, refused, .credentialRefused(.pass))
        + unchanged(waiting, .credentialRefused(isRepeatable: false), .credentialRefused(.pass))
        + unchanged(waiting + streaming + over, .credentialReplaced, .credentialReplaced(.none))
        + unchanged(waiting + streaming + over, .credentialKept, .credentialKept(.none))

    private static let nonce =
        [
            row(
                .forwarding(.sent, .awaitingHead, .first), .nonceAsked(isRepeatable: true), .nonceAsked(.resend),
                .acquiringUpstream(.second))
        ]
        + unchanged(
            waiting.filter { $0 != .forwarding(.sent, .awaitingHead, .first) }, .nonceAsked(isRepeatable: true),
            .nonceAsked(.pass))
        + unchanged(waiting, .nonceAsked(isRepeatable: false), .nonceAsked(.pass))

    private static let upstream =
        [
            row(
                .acquiringUpstream(.first), .upstreamAcquired, .noted, .forwarding(.sending, .awaitingHead, .first)),
            row(
                .acquiringUpstream(.second), .upstreamAcquired, .noted, .forwarding(.sending, .awaitingHead, .second)),
        ] + each(acquiring, .upstreamUnavailable, .noted, .finished)

    private static let response = [ExchangeStateMachine.Attempt.first, .second].flatMap { attempt in
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
        [
            row(
                .replacingCredential(.unread), .upstreamEnded, .upstreamEnded(.releaseUpstream),
                .replacingCredential(.ended))
        ]
        + unchanged([.replacingCredential(.unread)], .responseReceived, .responseReceived(.keep))
        + unchanged([.replacingCredential(.unread)], .upstreamBlocked, .upstreamBlocked(.none))
        + unchanged(holding + waitingForCredential + acquiring, .downstreamBlocked, .downstreamBlocked(.none))
        + unchanged([.replacingCredential(.unread)], .upstreamDrained, .upstreamDrained(.none))
        + unchanged(holding + waitingForCredential + acquiring, .downstreamDrained, .downstreamDrained(.none))
        + unchanged(waiting + streaming, .responseReceived, .responseReceived(.forward))
        + unchanged(waiting + streaming, .upstreamEnded, .upstreamEnded(.endResponse))
        + unchanged(waiting + streaming, .upstreamBlocked, .upstreamBlocked(.awaitRoom))
        + unchanged(waiting + streaming, .downstreamBlocked, .downstreamBlocked(.pauseUpstream))
        + unchanged(waiting + streaming, .upstreamDrained, .upstreamDrained(.renewDeadline))
        + unchanged(waiting + streaming, .downstreamDrained, .downstreamDrained(.resumeUpstream))

    private static let loss =
        [
            row(
                .forwarding(.sending, .awaitingHead, .first), .upstreamFailed(isReplayable: true),
                .upstreamFailed(.resend), .acquiringUpstream(.second)),
            row(
                .forwarding(.sent, .awaitingHead, .first), .upstreamFailed(isReplayable: true),
                .upstreamFailed(.resend), .acquiringUpstream(.second)),
            row(
                .forwarding(.sending, .awaitingHead, .second), .upstreamFailed(isReplayable: true),
                .upstreamFailed(.answer), .finished),
            row(
                .forwarding(.sent, .awaitingHead, .second), .upstreamFailed(isReplayable: true),
                .upstreamFailed(.answer), .finished),
        ] + each(waiting, .upstreamFailed(isReplayable: false), .upstreamFailed(.answer), .finished)
        + [true, false].map { isReplayable in
            row(
                .replacingCredential(.unread), .upstreamFailed(isReplayable: isReplayable),
                .upstreamFailed(.releaseUpstream), .replacingCredential(.lost))
        }
        + each(streaming, .upstreamFailed(isReplayable: true), .upstreamFailed(.abortDownstream), .aborted)
        + each(streaming, .upstreamFailed(isReplayable: false), .upstreamFailed(.abortDownstream), .aborted)

    private static let failure =
        each(
            [.awaitingHead] + holding + waitingForCredential + acquiring + waiting, .requestFailed,
            .requestFailed(.answer),
            .finished)
        + each(streaming, .requestFailed, .requestFailed(.abortDownstream), .aborted)
        + unchanged(over, .requestFailed, .requestFailed(.none))

    private static let deadlines = [true, false].flatMap { isBlocked in
        let event = ExchangeEvent.deadlinePassed(upstreamBlocked: isBlocked)
        // A body that the backend leaves no room for is the backend's delay, not the app's.
        let whileSending = ExchangeStateMachine.DeadlineAction.self
        return each(waitingForCredential, event, .deadline(.answerCredentialTimeout), .finished)
            + [ExchangeStateMachine.RefusalRest.unread, .ended, .lost].map { rest in
                row(
                    .replacingCredential(rest), event, .deadline(.passRefusal(rest)),
                    .forwarding(.sent, .awaitingHead, .second))
            }
            + unchanged(acquiring, event, .deadline(.none))
            + each(
                [.forwarding(.sending, .awaitingHead, .first), .forwarding(.sending, .awaitingHead, .second)], event,
                .deadline(isBlocked ? whileSending.answerResponseTimeout : whileSending.answerRequestTimeout), .finished
            )
            + each(
                [.forwarding(.sent, .awaitingHead, .first), .forwarding(.sent, .awaitingHead, .second)], event,
                .deadline(.answerResponseTimeout), .finished)
            + each(streaming, event, .deadline(.abortDownstream), .aborted) + unchanged(over, event, .deadline(.none))
    }

    private static let departures =
        each(
            [.awaitingHead] + holding + waitingForCredential + acquiring + waiting + streaming,
            .downstreamClosed, .noted, .aborted
        )
        + unchanged(over, .downstreamClosed, .noted)
}
