import ProxyCore
import Support
import Testing

@Suite struct EmbeddedConnectionStateMachineTests {
    typealias Machine = EmbeddedConnectionStateMachine

    enum State: CaseIterable, Sendable {
        case awaitingRequest
        case awaitingRequestEnded
        case awaitingTurn
        case awaitingTurnEnded
        case answering
        case answeringEnded
        case closed

        init(_ machine: borrowing Machine) {
            switch machine {
            case .awaitingRequest(let client): self = client == .ended ? .awaitingRequestEnded : .awaitingRequest
            case .awaitingTurn(let client): self = client == .ended ? .awaitingTurnEnded : .awaitingTurn
            case .answering(let client): self = client == .ended ? .answeringEnded : .answering
            case .closed: self = .closed
            }
        }

        var machine: Machine {
            switch self {
            case .awaitingRequest: .awaitingRequest(.sending)
            case .awaitingRequestEnded: .awaitingRequest(.ended)
            case .awaitingTurn: .awaitingTurn(.sending)
            case .awaitingTurnEnded: .awaitingTurn(.ended)
            case .answering: .answering(.sending)
            case .answeringEnded: .answering(.ended)
            case .closed: .closed
            }
        }
    }

    @Test(
        "A client's end is remembered until its requests are answered",
        arguments: [
            (State.awaitingRequest, State.awaitingRequestEnded), (.awaitingRequestEnded, .awaitingRequestEnded),
            (.awaitingTurn, .awaitingTurnEnded), (.answering, .answeringEnded),
        ])
    func clientEnded(_ from: State, _ to: State) {
        var machine = from.machine
        machine.clientEnded()
        #expect(State(machine) == to)
    }

    @Test(
        "Bytes or the end need one turn, unless the client does not read its responses",
        arguments: [
            (State.awaitingRequest, true, false, State.awaitingTurn),
            (.awaitingRequest, false, false, .awaitingRequest), (.awaitingRequest, true, true, .awaitingRequest),
            (.awaitingRequestEnded, false, false, .awaitingTurnEnded),
            (.awaitingRequestEnded, true, false, .awaitingTurnEnded),
            (.awaitingRequestEnded, false, true, .awaitingRequestEnded),
            (.awaitingTurn, true, false, .awaitingTurn), (.awaitingTurnEnded, true, false, .awaitingTurnEnded),
            (.answering, true, false, .answering), (.answeringEnded, false, false, .answeringEnded),
            (.closed, true, false, .closed),
        ])
    func progressed(_ from: State, _ holdsBytes: Bool, _ isBlocked: Bool, _ to: State) {
        var machine = from.machine
        let action = machine.progressed(holdsBytes: holdsBytes, isBlocked: isBlocked)
        #expect(action == (from == to ? .none : .awaitTurn))
        #expect(State(machine) == to)
    }

    @Test(
        "A turn lets the next request begin",
        arguments: [(State.awaitingTurn, State.answering), (.awaitingTurnEnded, .answeringEnded)])
    func turnCame(_ from: State, _ to: State) {
        var machine = from.machine
        machine.turnCame()
        machine.requestBegan()
        #expect(State(machine) == to)
    }

    @Test(
        "A connection closes when its client has ended and no request is left",
        arguments: [
            (State.awaitingRequest, Machine.RequestsRanOutAction.none, State.awaitingRequest),
            (.awaitingRequestEnded, .close, .closed),
        ])
    func requestsRanOut(_ from: State, _ action: Machine.RequestsRanOutAction, _ to: State) {
        var machine = from.machine
        #expect(machine.requestsRanOut() == action)
        #expect(State(machine) == to)
    }

    @Test(
        "A response is written unless the connection has closed meanwhile, and the last one closes it",
        arguments: [
            (State.answering, true, Machine.AnsweredAction.write, State.awaitingRequest),
            (.answeringEnded, true, .write, .awaitingRequestEnded), (.answering, false, .writeAndClose, .closed),
            (.answeringEnded, false, .writeAndClose, .closed), (.closed, true, .none, .closed),
            (.closed, false, .none, .closed),
        ])
    func answered(_ from: State, _ isPersistent: Bool, _ action: Machine.AnsweredAction, _ to: State) {
        var machine = from.machine
        #expect(machine.answered(isPersistent: isPersistent) == action)
        #expect(State(machine) == to)
    }

    @Test("A connection is closed once, whatever happened before", arguments: State.allCases)
    func closed(_ from: State) {
        var machine = from.machine
        #expect(machine.closed() == (from == .closed ? .none : .leave))
        #expect(State(machine) == .closed)
        #expect(machine.closed() == .none)
    }

    @Test(
        "A connection that owes no response makes room",
        arguments: [
            (State.awaitingRequest, true, Machine.RoomNeededAction.close), (.awaitingRequestEnded, false, .close),
            (.awaitingTurn, true, .keep), (.awaitingTurnEnded, false, .close), (.answering, false, .keep),
            (.answeringEnded, true, .keep), (.closed, false, .none),
        ])
    func roomNeeded(_ from: State, _ holdsBytes: Bool, _ action: Machine.RoomNeededAction) {
        let machine = from.machine
        let needed = machine.roomNeeded(holdsBytes: holdsBytes)
        #expect(needed == action)
        #expect(machine.isIdle == [.awaitingRequest, .awaitingRequestEnded, .closed].contains(from))
        #expect(machine.isAnswering == [.answering, .answeringEnded].contains(from))
    }
}
