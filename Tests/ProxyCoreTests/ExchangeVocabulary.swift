import ProxyCore

/// A state of the machine as a value that can be compared and made again.
enum ExchangeState: Equatable, Sendable {
    case awaitingHead
    case acquiringCredential
    case acquiringUpstream(ExchangeStateMachine.Attempt)
    case forwarding(
        ExchangeStateMachine.RequestSide, ExchangeStateMachine.ResponseSide, ExchangeStateMachine.Attempt)
    case finished
    case aborted

    static let all: [ExchangeState] = {
        var all: [ExchangeState] = [.awaitingHead, .acquiringCredential, .finished, .aborted]
        for attempt in [ExchangeStateMachine.Attempt.first, .second] {
            all.append(.acquiringUpstream(attempt))
            for request in [ExchangeStateMachine.RequestSide.sending, .sent] {
                for response in [ExchangeStateMachine.ResponseSide.awaitingHead, .streaming] {
                    all.append(.forwarding(request, response, attempt))
                }
            }
        }
        return all
    }()

    init(_ machine: borrowing ExchangeStateMachine) {
        switch machine {
        case .awaitingHead: self = .awaitingHead
        case .acquiringCredential: self = .acquiringCredential
        case .acquiringUpstream(let attempt): self = .acquiringUpstream(attempt)
        case .forwarding(let request, let response, let attempt): self = .forwarding(request, response, attempt)
        case .finished: self = .finished
        case .aborted: self = .aborted
        }
    }

    var machine: ExchangeStateMachine {
        switch self {
        case .awaitingHead: .awaitingHead
        case .acquiringCredential: .acquiringCredential
        case .acquiringUpstream(let attempt): .acquiringUpstream(attempt)
        case .forwarding(let request, let response, let attempt): .forwarding(request, response, attempt)
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
    case responseEnded(ExchangeStateMachine.ResponseEndedAction)
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
    case credentialAcquired
    case credentialFailed
    case upstreamAcquired
    case upstreamUnavailable
    case requestSent
    case responseHeadReceived
    case responseEnded
    case upstreamFailed(isReplayable: Bool)
    case requestFailed
    case deadlinePassed(upstreamBlocked: Bool)
    case downstreamClosed

    static let all: [ExchangeEvent] = [
        .headReceived(needsCredential: true), .headReceived(needsCredential: false), .credentialAcquired,
        .credentialFailed, .upstreamAcquired, .upstreamUnavailable, .requestSent, .responseHeadReceived,
        .responseEnded, .upstreamFailed(isReplayable: true), .upstreamFailed(isReplayable: false), .requestFailed,
        .deadlinePassed(upstreamBlocked: true), .deadlinePassed(upstreamBlocked: false), .downstreamClosed,
    ]

    func happen(to machine: inout ExchangeStateMachine) -> ExchangeAction {
        switch self {
        case .headReceived(let needsCredential): return .head(machine.headReceived(needsCredential: needsCredential))
        case .credentialAcquired: return .credential(machine.credentialAcquired())
        case .credentialFailed: return .credential(machine.credentialFailed())
        case .responseEnded: return .responseEnded(machine.responseEnded())
        case .upstreamFailed(let isReplayable):
            return .upstreamFailed(machine.upstreamFailed(isReplayable: isReplayable))
        case .requestFailed: return .requestFailed(machine.requestFailed())
        case .deadlinePassed(let isBlocked): return .deadline(machine.deadlinePassed(upstreamBlocked: isBlocked))
        case .upstreamAcquired: machine.upstreamAcquired()
        case .upstreamUnavailable: machine.upstreamUnavailable()
        case .requestSent: machine.requestSent()
        case .responseHeadReceived: machine.responseHeadReceived()
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
