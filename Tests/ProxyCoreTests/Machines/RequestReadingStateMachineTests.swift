import ProxyCore
import Support
import Testing

@Suite struct RequestReadingStateMachineTests {
    typealias Machine = RequestReadingStateMachine

    enum State: Equatable, Sendable, CaseIterable {
        case resting
        case reading
        case beginning
        case beginningLast
        case awaitingTurn

        init(_ machine: borrowing Machine) {
            switch machine {
            case .resting: self = .resting
            case .reading: self = .reading
            case .beginning(let hasMore): self = hasMore ? .beginning : .beginningLast
            case .awaitingTurn: self = .awaitingTurn
            }
        }

        var machine: Machine {
            switch self {
            case .resting: .resting
            case .reading: .reading
            case .beginning: .beginning(hasMore: true)
            case .beginningLast: .beginning(hasMore: false)
            case .awaitingTurn: .awaitingTurn
            }
        }
    }

    @Test("Reading begins if nothing is being read")
    func readingBegan() {
        var machine = State.resting.machine
        machine.readingBegan()
        #expect(State(machine) == .reading)
    }

    @Test("A request begins with its head", arguments: [(true, State.beginning), (false, .beginningLast)])
    func headRead(_ hasMore: Bool, _ during: State) {
        var machine = State.reading.machine
        machine.headRead(hasMore: hasMore)
        #expect(State(machine) == during)
        machine.requestBegan()
        #expect(State(machine) == .reading)
    }

    @Test("Bytes that wait for a turn still wait when reading has ended")
    func turnAwaited() {
        var machine = State.reading.machine
        machine.turnAwaited()
        #expect(State(machine) == .awaitingTurn)
        machine.readingEnded()
        #expect(State(machine) == .awaitingTurn)
    }

    @Test("Reading ends")
    func readingEnded() {
        var machine = State.reading.machine
        machine.readingEnded()
        #expect(State(machine) == .resting)
    }

    @Test(
        "A turn brings the waiting bytes, unless a drain was faster",
        arguments: [(State.awaitingTurn, Machine.TurnCameAction.read), (.resting, .none)])
    func turnCame(_ from: State, _ action: Machine.TurnCameAction) {
        var machine = from.machine
        #expect(machine.turnCame() == action)
        #expect(State(machine) == .resting)
    }

    @Test(
        "More is left to read if bytes are held or follow the head that begins", arguments: State.allCases)
    func hasMore(_ from: State) {
        let machine = from.machine
        let (hasMoreHeld, hasMore) = (machine.hasMore(isHeld: true), machine.hasMore(isHeld: false))
        #expect(hasMoreHeld && hasMore == (from == .beginning))
        #expect(machine.isResting == (from == .resting))
        #expect(machine.awaitsTurn == (from == .awaitingTurn))
    }
}
