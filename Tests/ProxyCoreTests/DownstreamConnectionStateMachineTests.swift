import ProxyCore
import Testing

@Suite struct DownstreamConnectionStateMachineTests {
    enum State: CaseIterable, Sendable {
        case idle
        case exchanging
        case draining
        case closed

        init(_ machine: borrowing DownstreamConnectionStateMachine) {
            switch machine {
            case .idle: self = .idle
            case .exchanging: self = .exchanging
            case .draining: self = .draining
            case .closed: self = .closed
            }
        }

        var machine: DownstreamConnectionStateMachine {
            switch self {
            case .idle: .idle
            case .exchanging: .exchanging
            case .draining: .draining
            case .closed: .closed
            }
        }
    }

    @Test("A request begins on an idle connection")
    func requestBegan() {
        var machine = DownstreamConnectionStateMachine.idle
        machine.requestBegan()
        #expect(State(machine) == .exchanging)
    }

    typealias Action = DownstreamConnectionStateMachine.ExchangeEndedAction

    @Test(
        "The end of an exchange lets the connection go on or closes it",
        arguments: [
            (State.exchanging, true, Action.awaitRequest, State.idle),
            (.exchanging, false, .close, .closed),
            (.draining, true, .close, .closed),
            (.draining, false, .close, .closed),
            (.closed, true, .none, .closed),
            (.closed, false, .none, .closed),
        ])
    func exchangeEnded(_ from: State, _ isPersistent: Bool, _ action: Action, _ to: State) {
        var machine = from.machine
        #expect(machine.exchangeEnded(isPersistent: isPersistent) == action)
        #expect(State(machine) == to)
    }

    @Test(
        "A drain closes an idle connection at once and a busy one after its exchange",
        arguments: [
            (State.idle, DownstreamConnectionStateMachine.DrainAction.close, State.closed),
            (.exchanging, .none, .draining), (.draining, .none, .draining), (.closed, .none, .closed),
        ])
    func drainRequested(_ from: State, _ action: DownstreamConnectionStateMachine.DrainAction, _ to: State) {
        var machine = from.machine
        #expect(machine.drainRequested() == action)
        #expect(State(machine) == to)
    }

    @Test("A closed connection is closed, whatever it did", arguments: State.allCases)
    func closed(_ from: State) {
        var machine = from.machine
        machine.closed()
        #expect(State(machine) == .closed)
    }

    @Test("Only a draining connection tells the app that it closes", arguments: State.allCases)
    func isDraining(_ state: State) {
        let machine = state.machine
        #expect(machine.isDraining == (state == .draining))
    }

    @Test("Whatever happens, a connection is closed once and takes no request after a drain")
    func walks() {
        var generator = SeededGenerator(seed: 0xD0)
        for _ in 0..<2000 {
            var machine = DownstreamConnectionStateMachine.idle
            var (isBusy, isDrained, isGone, closes) = (false, false, false, 0)
            for _ in 0..<30 {
                switch Int.random(in: 0..<8, using: &generator) {
                case 0...2 where !isBusy && !isDrained && !isGone:
                    machine.requestBegan()
                    isBusy = true
                case 3...5 where isBusy:
                    let persists = generator.chance(3, of: 4)
                    switch machine.exchangeEnded(isPersistent: persists) {
                    case .awaitRequest: #expect(persists && !isDrained && !isGone)
                    case .close:
                        closes += 1
                        #expect(!isGone && (!persists || isDrained))
                        isGone = true
                    case .none: #expect(isGone)
                    }
                    isBusy = false
                case 6:
                    let action = machine.drainRequested()
                    #expect((action == .close) == (!isBusy && !isGone))
                    if action == .close {
                        closes += 1
                        isGone = true
                    }
                    isDrained = true
                case 7 where generator.chance(1, of: 4):
                    machine.closed()
                    if !isGone { closes += 1 }
                    isGone = true
                default: break
                }
                #expect((State(machine) == .closed) == isGone)
                #expect(closes == (isGone ? 1 : 0))
            }
        }
    }
}
