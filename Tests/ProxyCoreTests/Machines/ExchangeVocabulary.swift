import ProxyCore

/// A state of the machine as a value that can be compared and made again.
enum ExchangeState: Equatable, Sendable {
    case awaitingHead
    case acquiringCredential(ExchangeStateMachine.Attempt)
    case acquiringUpstream(ExchangeStateMachine.Attempt)
    case forwarding(
        ExchangeStateMachine.RequestSide, ExchangeStateMachine.ResponseSide, ExchangeStateMachine.Attempt)
    case replacingCredential(ExchangeStateMachine.RefusalRest, ExchangeStateMachine.Attempt)
    case finished
    case aborted

    static let all: [ExchangeState] = {
        var all: [ExchangeState] = [.awaitingHead, .finished, .aborted]
        for attempt in [ExchangeStateMachine.Attempt.withToken, .last] {
            for rest in [ExchangeStateMachine.RefusalRest.unread, .ended, .lost] {
                all.append(.replacingCredential(rest, attempt))
            }
        }
        for attempt in [ExchangeStateMachine.Attempt.first, .withNonce, .withToken, .last] {
            all.append(.acquiringCredential(attempt))
            all.append(.acquiringUpstream(attempt))
            for request in [ExchangeStateMachine.RequestSide.sending, .sent] {
                for response in [ExchangeStateMachine.ResponseSide.awaitingHead, .suspected, .streaming] {
                    all.append(.forwarding(request, response, attempt))
                }
            }
        }
        return all
    }()

    init(_ machine: borrowing ExchangeStateMachine) {
        switch machine {
        case .awaitingHead: self = .awaitingHead
        case .acquiringCredential(let attempt): self = .acquiringCredential(attempt)
        case .acquiringUpstream(let attempt): self = .acquiringUpstream(attempt)
        case .forwarding(let request, let response, let attempt): self = .forwarding(request, response, attempt)
        case .replacingCredential(let rest, let attempt): self = .replacingCredential(rest, attempt)
        case .finished: self = .finished
        case .aborted: self = .aborted
        }
    }

    var machine: ExchangeStateMachine {
        switch self {
        case .awaitingHead: .awaitingHead
        case .acquiringCredential(let attempt): .acquiringCredential(attempt)
        case .acquiringUpstream(let attempt): .acquiringUpstream(attempt)
        case .forwarding(let request, let response, let attempt): .forwarding(request, response, attempt)
        case .replacingCredential(let rest, let attempt): .replacingCredential(rest, attempt)
        case .finished: .finished
        case .aborted: .aborted
        }
    }

    var isOver: Bool { self == .finished || self == .aborted }
}

/// What the machine answered, whichever event it was.
enum ExchangeAction: Equatable, Sendable {
    case head(ExchangeStateMachine.HeadReceivedAction)
    case credential(ExchangeStateMachine.CredentialAction)
    case credentialRefused(ExchangeStateMachine.CredentialRefusedAction)
    case credentialReplaced(ExchangeStateMachine.CredentialReplacedAction)
    case credentialKept(ExchangeStateMachine.CredentialKeptAction)
    case nonceAsked(ExchangeStateMachine.NonceAskedAction)
    case responseReceived(ExchangeStateMachine.ResponseReceivedAction)
    case responseEnded(ExchangeStateMachine.ResponseEndedAction)
    case upstreamEnded(ExchangeStateMachine.UpstreamEndedAction)
    case upstreamBlocked(ExchangeStateMachine.UpstreamBlockedAction)
    case downstreamBlocked(ExchangeStateMachine.DownstreamBlockedAction)
    case upstreamDrained(ExchangeStateMachine.UpstreamDrainedAction)
    case downstreamDrained(ExchangeStateMachine.DownstreamDrainedAction)
    case upstreamFailed(ExchangeStateMachine.UpstreamFailedAction)
    case requestFailed(ExchangeStateMachine.RequestFailedAction)
    case deadline(ExchangeStateMachine.DeadlineAction)
    /// The event has no action.
    case noted

    /// Whether an answer of our own is to be written.
    var isAnswer: Bool {
        switch self {
        case .credential(.answer), .upstreamFailed(.answer), .requestFailed(.answer),
            .deadline(.answerCredentialTimeout), .deadline(.answerRequestTimeout), .deadline(.answerResponseTimeout):
            true
        default: false
        }
    }

    /// Whether the app's connection is to be reset.
    var isAbort: Bool {
        self == .upstreamFailed(.abortDownstream) || self == .requestFailed(.abortDownstream)
            || self == .deadline(.abortDownstream)
    }
}

/// An event of the machine with its arguments.
enum ExchangeEvent: Equatable, Sendable {
    case headReceived(needsCredential: Bool)
    case answeredLocally
    case credentialAcquired
    case credentialFailed
    case credentialRefused(isRepeatable: Bool)
    case credentialEnded
    case credentialReplaced
    case credentialKept
    case nonceAsked(isRepeatable: Bool)
    case upstreamAcquired
    case upstreamUnavailable
    case tunnelBegan
    case requestSent
    case responseReceived
    case responseHeadReceived
    case refusalSuspected
    case suspicionCleared
    case responseEnded
    case upstreamEnded
    case upstreamBlocked
    case downstreamBlocked
    case upstreamDrained
    case downstreamDrained
    case upstreamFailed(isReplayable: Bool)
    case requestFailed
    case deadlinePassed(upstreamBlocked: Bool)
    case downstreamClosed

    static let all: [ExchangeEvent] = [
        .headReceived(needsCredential: true), .headReceived(needsCredential: false), .answeredLocally,
        .credentialAcquired,
        .credentialRefused(isRepeatable: true), .credentialRefused(isRepeatable: false), .credentialReplaced,
        .credentialKept, .credentialEnded, .nonceAsked(isRepeatable: true), .nonceAsked(isRepeatable: false),
        .credentialFailed, .upstreamAcquired, .upstreamUnavailable, .tunnelBegan, .requestSent, .responseReceived,
        .responseHeadReceived, .refusalSuspected, .suspicionCleared, .responseEnded, .upstreamEnded, .upstreamBlocked,
        .downstreamBlocked,
        .upstreamDrained, .downstreamDrained,
        .upstreamFailed(isReplayable: true), .upstreamFailed(isReplayable: false), .requestFailed,
        .deadlinePassed(upstreamBlocked: true), .deadlinePassed(upstreamBlocked: false), .downstreamClosed,
    ]

    func happen(to machine: inout ExchangeStateMachine) -> ExchangeAction {
        switch self {
        case .headReceived(let needsCredential): return .head(machine.headReceived(needsCredential: needsCredential))
        case .credentialAcquired: return .credential(machine.credentialAcquired())
        case .credentialFailed: return .credential(machine.credentialFailed())
        case .credentialRefused(let isRepeatable):
            return .credentialRefused(machine.credentialRefused(isRepeatable: isRepeatable))
        case .credentialReplaced: return .credentialReplaced(machine.credentialReplaced())
        case .credentialKept: return .credentialKept(machine.credentialKept())
        case .nonceAsked(let isRepeatable): return .nonceAsked(machine.nonceAsked(isRepeatable: isRepeatable))
        case .responseReceived: return .responseReceived(machine.responseReceived())
        case .responseEnded: return .responseEnded(machine.responseEnded())
        case .upstreamEnded: return .upstreamEnded(machine.upstreamEnded())
        case .upstreamBlocked: return .upstreamBlocked(machine.upstreamBlocked())
        case .downstreamBlocked: return .downstreamBlocked(machine.downstreamBlocked())
        case .upstreamDrained: return .upstreamDrained(machine.upstreamDrained())
        case .downstreamDrained: return .downstreamDrained(machine.downstreamDrained())
        case .upstreamFailed(let isReplayable):
            return .upstreamFailed(machine.upstreamFailed(isReplayable: isReplayable))
        case .requestFailed: return .requestFailed(machine.requestFailed())
        case .deadlinePassed(let isBlocked): return .deadline(machine.deadlinePassed(upstreamBlocked: isBlocked))
        case .answeredLocally: machine.answeredLocally()
        case .credentialEnded: machine.credentialEnded()
        case .upstreamAcquired: machine.upstreamAcquired()
        case .upstreamUnavailable: machine.upstreamUnavailable()
        case .tunnelBegan: machine.tunnelBegan()
        case .requestSent: machine.requestSent()
        case .responseHeadReceived: machine.responseHeadReceived()
        case .refusalSuspected: machine.refusalSuspected()
        case .suspicionCleared: machine.suspicionCleared()
        case .downstreamClosed: machine.downstreamClosed()
        }
        return .noted
    }
}

/// One line of the machine's table: what an event does in a state.
struct ExchangeTransition: Sendable, CustomStringConvertible {
    let from: ExchangeState
    let event: ExchangeEvent
    let action: ExchangeAction
    let to: ExchangeState

    var description: String { "\(event) in \(from)" }
}
