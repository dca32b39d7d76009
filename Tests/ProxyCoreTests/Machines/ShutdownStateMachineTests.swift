import ProxyCore
import Support
import Testing

@Suite struct ShutdownStateMachineTests {
    typealias Machine = ShutdownStateMachine

    enum State: Equatable, Sendable, CaseIterable {
        case serving
        case delaying
        case draining2
        case draining1
        case delayingForRequest
        case draining2ForRequest
        case aborting2
        case aborting1
        case stopped

        init(_ machine: borrowing Machine) {
            switch machine {
            case .serving: self = .serving
            case .delaying(for: .request): self = .delayingForRequest
            case .delaying: self = .delaying
            case .draining(2, for: .request): self = .draining2ForRequest
            case .draining(let undrained, _): self = undrained == 1 ? .draining1 : .draining2
            case .aborting(let undrained, _): self = undrained == 1 ? .aborting1 : .aborting2
            case .stopped: self = .stopped
            }
        }

        var machine: Machine {
            switch self {
            case .serving: .serving
            case .delaying: .delaying(for: .signal)
            case .draining2: .draining(undrained: 2, for: .signal)
            case .draining1: .draining(undrained: 1, for: .signal)
            case .delayingForRequest: .delaying(for: .request)
            case .draining2ForRequest: .draining(undrained: 2, for: .request)
            case .aborting2: .aborting(undrained: 2, cut: 3)
            case .aborting1: .aborting(undrained: 1, cut: 3)
            case .stopped: .stopped
            }
        }
    }

    @Test(
        "Each signal goes one step further than the one before, but the first one after a request does not",
        arguments: [
            (State.serving, true, Machine.DrainRequestedAction.delay, State.delaying),
            (.serving, false, .drain, .draining2), (.delaying, true, .drain, .draining2),
            (.draining2, true, .abort, .aborting2), (.draining1, true, .abort, .aborting1),
            (.aborting2, true, .none, .aborting2), (.aborting1, false, .none, .aborting1),
            (.stopped, true, .none, .stopped), (.delayingForRequest, true, .none, .delaying),
            (.draining2ForRequest, false, .none, .draining2),
        ])
    func drainRequested(_ from: State, _ hasDelay: Bool, _ action: Machine.DrainRequestedAction, _ to: State) {
        var machine = from.machine
        #expect(machine.drainRequested(by: .signal, hasDelay: hasDelay, workers: 2) == action)
        #expect(State(machine) == to)
    }

    @Test(
        "A request begins the end, and never shortens it",
        arguments: [
            (State.serving, true, Machine.DrainRequestedAction.delay, State.delayingForRequest),
            (.serving, false, .drain, .draining2ForRequest), (.delaying, true, .none, .delaying),
            (.delayingForRequest, true, .none, .delayingForRequest), (.draining2, true, .none, .draining2),
            (.draining2ForRequest, false, .none, .draining2ForRequest), (.aborting2, true, .none, .aborting2),
            (.stopped, true, .none, .stopped),
        ])
    func requestToDrain(_ from: State, _ hasDelay: Bool, _ action: Machine.DrainRequestedAction, _ to: State) {
        var machine = from.machine
        #expect(machine.drainRequested(by: .request, hasDelay: hasDelay, workers: 2) == action)
        #expect(State(machine) == to)
    }

    @Test(
        "Each timeout goes one step further too",
        arguments: [
            (State.delaying, Machine.TimeReachedAction.drain, State.draining2), (.draining2, .abort, .aborting2),
            (.delayingForRequest, .drain, .draining2ForRequest), (.draining2ForRequest, .abort, .aborting2),
            (.draining1, .abort, .aborting1), (.aborting2, .stop(cut: 3), .stopped),
            (.aborting1, .stop(cut: 3), .stopped),
            (.stopped, .none, .stopped),
        ])
    func timeReached(_ from: State, _ action: Machine.TimeReachedAction, _ to: State) {
        var machine = from.machine
        #expect(machine.timeReached(workers: 2) == action)
        #expect(State(machine) == to)
    }

    @Test(
        "The delay ends once the clients have left",
        arguments: [
            (State.delaying, Machine.ClientsLeftAction.drain, State.draining2),
            (.delayingForRequest, .drain, .draining2ForRequest), (.draining2, .none, .draining2),
            (.draining2ForRequest, .none, .draining2ForRequest), (.aborting1, .none, .aborting1),
            (.stopped, .none, .stopped),
        ])
    func clientsLeft(_ from: State, _ action: Machine.ClientsLeftAction, _ to: State) {
        var machine = from.machine
        #expect(machine.clientsLeft(workers: 2) == action)
        #expect(State(machine) == to)
    }

    @Test(
        "A worker that joins during the end is drained too",
        arguments: [
            (State.serving, Machine.WorkerJoinedAction.none, State.serving), (.delaying, .announce, .delaying),
            (.draining1, .drain, .draining2), (.aborting1, .drain, .aborting2), (.stopped, .none, .stopped),
        ])
    func workerJoined(_ from: State, _ action: Machine.WorkerJoinedAction, _ to: State) {
        var machine = from.machine
        #expect(machine.workerJoined() == action)
        #expect(State(machine) == to)
    }

    @Test(
        "The end comes with the last worker that has drained",
        arguments: [
            (State.draining2, Machine.WorkerDrainedAction.none, State.draining1),
            (.draining1, .stop(cut: nil), .stopped),
            (.aborting2, .none, .aborting1), (.aborting1, .stop(cut: 3), .stopped), (.stopped, .none, .stopped),
        ])
    func workerDrained(_ from: State, _ action: Machine.WorkerDrainedAction, _ to: State) {
        var machine = from.machine
        #expect(machine.workerDrained() == action)
        #expect(State(machine) == to)
    }

    @Test("The end reports the requests that all workers cut, however late a worker learns of it")
    func requestsCut() {
        var machine = Machine.serving
        #expect(machine.drainRequested(by: .signal, hasDelay: false, workers: 3) == .drain)
        #expect(machine.workerDrained() == .none)
        #expect(machine.timeReached(workers: 3) == .abort)
        machine.requestsCut(2)
        #expect(machine.drainRequested(by: .signal, hasDelay: false, workers: 3) == .none)
        #expect(machine.workerDrained() == .none)
        machine.requestsCut(5)
        #expect(machine.workerDrained() == .stop(cut: 7))
        machine.requestsCut(1)
        #expect(State(machine) == .stopped)
    }

    @Test("Readiness ends with the first signal", arguments: State.allCases)
    func isServing(_ state: State) {
        let machine = state.machine
        #expect(machine.isServing == (state == .serving))
    }

    @Test("Listeners accept requests until the delay of a drain is over", arguments: State.allCases)
    func isAccepting(_ state: State) {
        let machine = state.machine
        #expect(machine.isAccepting == [.serving, .delaying, .delayingForRequest].contains(state))
    }

    @Test("Whatever happens, the process stops once, and every worker that drains was asked to")
    func walks() {
        var generator = SeededGenerator(seed: 0xE0)
        for _ in 0..<2000 {
            var machine = Machine.serving
            var (workers, drained, stops, isTimed) = (1, 0, 0, false)
            var asked = 0
            for _ in 0..<20 {
                switch Int.random(in: 0..<5, using: &generator) {
                case 0 where generator.chance(1, of: 3):
                    let trigger = generator.chance(1, of: 2) ? Machine.Trigger.request : .signal
                    let hasDelay = generator.chance(1, of: 2)
                    switch machine.drainRequested(by: trigger, hasDelay: hasDelay, workers: workers) {
                    case .delay: isTimed = true
                    case .drain: (asked, isTimed) = (workers, true)
                    case .abort: isTimed = true
                    case .none: break
                    }
                case 1 where isTimed && generator.chance(1, of: 3):
                    switch machine.timeReached(workers: workers) {
                    case .drain: asked = workers
                    case .abort: break
                    case .stop: stops += 1
                    case .none: #expect(stops == 1)
                    }
                case 4 where isTimed && generator.chance(1, of: 3):
                    if machine.clientsLeft(workers: workers) == .drain { asked = workers }
                case 2 where workers < 5:
                    workers += 1
                    if machine.workerJoined() == .drain { asked += 1 }
                case 3 where drained < asked:
                    drained += 1
                    switch machine.workerDrained() {
                    case .stop:
                        stops += 1
                        #expect(drained == asked)
                    case .none: break
                    }
                default: break
                }
                #expect(stops <= 1)
                #expect((State(machine) == .stopped) == (stops == 1))
            }
        }
    }
}
