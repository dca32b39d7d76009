import ProxyCore
import Support
import Testing

@Suite struct ReloadStateMachineTests {
    typealias Machine = ReloadStateMachine

    enum State: Equatable, Sendable, CaseIterable {
        case idle
        case waiting
        case reading
        case preparing
        case savingTokens
        case swapping
        case readingAgain
        case preparingAgain
        case savingTokensAgain
        case swappingAgain
        case stoppingReading
        case stoppingPreparing
        case stoppingSavingTokens
        case stoppingSwapping
        case stopped

        static let steps: [(step: Machine.Step, state: State, again: State, stopping: State)] = [
            (.reading, .reading, .readingAgain, .stoppingReading),
            (.preparing, .preparing, .preparingAgain, .stoppingPreparing),
            (.savingTokens, .savingTokens, .savingTokensAgain, .stoppingSavingTokens),
            (.swapping, .swapping, .swappingAgain, .stoppingSwapping),
        ]

        init(_ machine: borrowing Machine) {
            switch machine {
            case .idle: self = .idle
            case .waiting: self = .waiting
            case .running(let step, let isWantedAgain):
                let row = Self.steps.first { $0.step == step }
                self = (isWantedAgain ? row?.again : row?.state) ?? .idle
            case .stopping(let step): self = Self.steps.first { $0.step == step }?.stopping ?? .idle
            case .stopped: self = .stopped
            }
        }

        var machine: Machine {
            for row in Self.steps {
                if self == row.state { return .running(row.step, isWantedAgain: false) }
                if self == row.again { return .running(row.step, isWantedAgain: true) }
                if self == row.stopping { return .stopping(row.step) }
            }
            switch self {
            case .waiting: return .waiting
            case .stopped: return .stopped
            default: return .idle
            }
        }
    }

    @Test("A request begins a load, waits for workers, or follows the load that runs")
    func wanted() {
        func expect(_ from: State, _ action: Machine.BeginAction, _ to: State, complete: Bool = true) {
            var machine = from.machine
            let found = machine.wanted(areWorkersComplete: complete)
            #expect(found == action)
            #expect(State(machine) == to)
        }
        expect(.idle, .load, .reading)
        expect(.idle, .none, .waiting, complete: false)
        expect(.waiting, .none, .waiting, complete: false)
        expect(.stopped, .refuse, .stopped)
        for row in State.steps {
            expect(row.state, .none, row.again)
            expect(row.again, .none, row.again)
            expect(row.stopping, .none, row.stopping)
        }
    }

    @Test("A changed file begins a load only if nothing else is wanted")
    func fileChanged() {
        for state in State.allCases {
            var machine = state.machine
            let action = machine.fileChanged(areWorkersComplete: true)
            #expect(action == (state == .idle ? .load : .none))
            #expect(State(machine) == (state == .idle ? .reading : state))
        }
        var machine = Machine.idle
        let action = machine.fileChanged(areWorkersComplete: false)
        #expect(action == .none)
        #expect(State(machine) == .idle)
    }

    @Test("What waits begins with the last worker, and is refused when the process stops")
    func proceeded() {
        for state in State.allCases {
            var machine = state.machine
            let action = machine.proceeded(areWorkersComplete: true)
            #expect(action == (state == .waiting ? .load : state == .stopped ? .refuse : .none))
            #expect(State(machine) == (state == .waiting ? .reading : state))
            var early = state.machine
            let none = early.proceeded(areWorkersComplete: false)
            #expect(none == (state == .stopped ? .refuse : .none))
            #expect(State(early) == state)
        }
    }

    @Test("A drain refuses what waits, and ends the load that runs at its next step")
    func drainBegan() {
        for state in State.allCases {
            var machine = state.machine
            let action = machine.drainBegan()
            #expect(action == (state == .waiting ? .refuse : .none))
            let row = State.steps.first { [$0.state, $0.again, $0.stopping].contains(state) }
            #expect(State(machine) == row?.stopping ?? .stopped)
        }
    }

    @Test("Each step leads to the next one, a fault to the end, and a drain to the stop")
    func steps() {
        func ended(_ step: Machine.Step, _ machine: inout Machine, isUsable: Bool) -> Machine.StepAction {
            switch step {
            case .reading: machine.fileRead(isUsable: isUsable)
            case .preparing: machine.workersPrepared(isUsable: isUsable)
            case .savingTokens, .swapping: machine.tokensSaved(isUsable: isUsable)
            }
        }
        for (row, next) in zip(State.steps, State.steps.dropFirst()) {
            for (from, isUsable, action, to) in [
                (row.state, true, Machine.StepAction.next, next.state), (row.again, true, .next, next.again),
                (row.state, false, .fail, .idle), (row.again, false, .fail, .waiting),
                (row.stopping, true, .stop, .stopped), (row.stopping, false, .stop, .stopped),
            ] {
                var machine = from.machine
                let found = ended(row.step, &machine, isUsable: isUsable)
                #expect(found == action)
                #expect(State(machine) == to)
            }
        }
        for (from, to) in [
            (State.swapping, State.idle), (.swappingAgain, .waiting), (.stoppingSwapping, .stopped),
        ] {
            var machine = from.machine
            machine.swapped()
            #expect(State(machine) == to)
        }
    }
}
