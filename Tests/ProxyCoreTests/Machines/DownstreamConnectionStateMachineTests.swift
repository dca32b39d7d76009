import ProxyCore
import Support
import Testing

@Suite struct DownstreamConnectionStateMachineTests {
    typealias Machine = DownstreamConnectionStateMachine

    enum State: CaseIterable, Sendable {
        case idle
        case idleEnded
        case awaitingLast
        case awaitingLastEnded
        case exchanging
        case exchangingEnded
        case draining
        case drainingEnded
        case tunnelling
        case closed

        init(_ machine: borrowing Machine) {
            switch machine {
            case .idle(let app): self = app == .ended ? .idleEnded : .idle
            case .awaitingLast(let app): self = app == .ended ? .awaitingLastEnded : .awaitingLast
            case .exchanging(let app): self = app == .ended ? .exchangingEnded : .exchanging
            case .draining(let app): self = app == .ended ? .drainingEnded : .draining
            case .tunnelling: self = .tunnelling
            case .closed: self = .closed
            }
        }

        var machine: Machine {
            switch self {
            case .idle: .idle(.sending)
            case .idleEnded: .idle(.ended)
            case .awaitingLast: .awaitingLast(.sending)
            case .awaitingLastEnded: .awaitingLast(.ended)
            case .exchanging: .exchanging(.sending)
            case .exchangingEnded: .exchanging(.ended)
            case .draining: .draining(.sending)
            case .drainingEnded: .draining(.ended)
            case .tunnelling: .tunnelling
            case .closed: .closed
            }
        }
    }

    @Test(
        "A request begins on an idle connection, and the one that a drain waits for is its last",
        arguments: [
            (State.idle, State.exchanging), (.idleEnded, .exchangingEnded), (.awaitingLast, .draining),
            (.awaitingLastEnded, .drainingEnded),
        ])
    func requestBegan(_ from: State, _ to: State) {
        var machine = from.machine
        machine.requestBegan()
        #expect(State(machine) == to)
    }

    @Test(
        "The end of an exchange keeps the connection open or closes it",
        arguments: [
            (State.exchanging, true, false, true, Machine.ExchangeEndedAction.awaitRequest, State.idle),
            (.exchanging, true, false, false, .awaitRequest, .idle),
            (.exchanging, false, false, true, .closeAfterResponse, .closed),
            (.exchanging, false, false, false, .closeAfterResponse, .closed),
            (.exchanging, false, true, true, .closeAfterResponse, .closed),
            (.exchanging, false, true, false, .closeAtOnce, .closed),
            (.exchangingEnded, true, false, true, .awaitRequest, .idleEnded),
            (.exchangingEnded, true, false, false, .closeAtOnce, .closed),
            (.exchangingEnded, false, false, true, .closeAtOnce, .closed),
            (.draining, true, false, true, .closeAfterResponse, .closed),
            (.draining, false, true, false, .closeAtOnce, .closed),
            (.drainingEnded, false, false, false, .closeAtOnce, .closed),
            (.closed, true, false, true, .none, .closed),
            (.closed, false, true, false, .none, .closed),
        ])
    func exchangeEnded(
        _ from: State, _ isPersistent: Bool, _ isLast: Bool, _ hasMore: Bool, _ action: Machine.ExchangeEndedAction,
        _ to: State
    ) {
        let was = from.machine
        let isLastResponse = was.isLastResponse(hasMore: hasMore)
        var machine = from.machine
        #expect(machine.exchangeEnded(isPersistent: isPersistent, isLastRequest: isLast, hasMore: hasMore) == action)
        #expect(State(machine) == to)
        // What the response says and what becomes of the connection are the same.
        if from != .closed, isPersistent { #expect(isLastResponse == (action != .awaitRequest)) }
    }

    @Test(
        "Requests that the app sent before it ended are still served",
        arguments: [
            (State.idle, State.idleEnded), (.idleEnded, .idleEnded), (.awaitingLast, .awaitingLastEnded),
            (.exchanging, .exchangingEnded), (.draining, .drainingEnded),
        ])
    func appEnded(_ from: State, _ to: State) {
        var machine = from.machine
        machine.appEnded()
        #expect(State(machine) == to)
    }

    @Test(
        "A connection becomes a side of a tunnel, also during a drain, and its app's end goes to the backend",
        arguments: [
            (State.exchanging, Machine.TunnelBeganAction.readApp), (.exchangingEnded, .passEnd), (.draining, .readApp),
            (.drainingEnded, .passEnd),
        ])
    func tunnelBegan(_ from: State, _ action: Machine.TunnelBeganAction) {
        var machine = from.machine
        #expect(machine.tunnelBegan() == action)
        #expect(State(machine) == .tunnelling)
        let isLastResponse = machine.isLastResponse(hasMore: false)
        #expect(!isLastResponse)
    }

    @Test(
        "A connection closes when its app has ended and no request is left",
        arguments: State.allCases.filter { $0 != .tunnelling })
    func requestsRanOut(_ from: State) {
        var machine = from.machine
        let isOver = from == .idleEnded || from == .awaitingLastEnded
        #expect(machine.requestsRanOut() == (isOver ? .close : .none))
        #expect(State(machine) == (isOver ? .closed : from))
    }

    @Test(
        "A request that its app cut short ends the connection at once",
        arguments: [
            (State.exchanging, Machine.RequestRanOutAction.none, State.exchanging), (.draining, .none, .draining),
            (.exchangingEnded, .abort, .closed), (.drainingEnded, .abort, .closed),
        ])
    func requestRanOut(_ from: State, _ action: Machine.RequestRanOutAction, _ to: State) {
        var machine = from.machine
        #expect(machine.requestRanOut() == action)
        #expect(State(machine) == to)
    }

    @Test(
        "A drain closes a silent connection at once, another after its last request, a busy one after its exchange",
        arguments: [
            (State.idle, false, Machine.DrainAction.close, State.closed), (.idle, true, .awaitLast, .awaitingLast),
            (.idleEnded, false, .close, .closed), (.idleEnded, true, .close, .closed),
            (.awaitingLast, false, .none, .awaitingLast), (.awaitingLast, true, .none, .awaitingLast),
            (.awaitingLastEnded, true, .none, .awaitingLastEnded), (.exchanging, true, .none, .draining),
            (.exchangingEnded, false, .none, .drainingEnded), (.draining, false, .none, .draining),
            (.drainingEnded, true, .none, .drainingEnded), (.tunnelling, false, .none, .tunnelling),
            (.closed, true, .none, .closed),
        ])
    func drainRequested(_ from: State, _ mayFollow: Bool, _ action: Machine.DrainAction, _ to: State) {
        var machine = from.machine
        #expect(machine.drainRequested(mayFollow: mayFollow) == action)
        #expect(State(machine) == to)
    }

    @Test("A connection is closed once, whatever happened before", arguments: State.allCases)
    func closed(_ from: State) {
        var machine = from.machine
        #expect(machine.isClosed == (from == .closed))
        #expect(machine.isDraining == (from == .draining || from == .drainingEnded))
        #expect(machine.awaitsLast == (from == .awaitingLast || from == .awaitingLastEnded))
        #expect(machine.closed() == (from == .closed ? .none : .leave))
        #expect(State(machine) == .closed)
        #expect(machine.closed() == .none)
    }

    @Test("Whatever happens, a connection is closed once and takes at most one request after a drain")
    func walks() {
        var generator = SeededGenerator(seed: 0xD0)
        for _ in 0..<2000 {
            var machine = Machine.idle(.sending)
            var (isBusy, isDrained, hasEnded, isGone, closes) = (false, false, false, false, 0)
            // Whether a drain waits for a last request.
            var awaitsLast = false
            for _ in 0..<30 {
                let hasMore = generator.chance(1, of: 2)
                switch Int.random(in: 0..<11, using: &generator) {
                case 0...2 where !isBusy && (!isDrained || awaitsLast) && !isGone:
                    machine.requestBegan()
                    (isBusy, awaitsLast) = (true, false)
                case 3...5 where isBusy:
                    let persists = generator.chance(3, of: 4)
                    let goesOn = persists && !isDrained && (!hasEnded || hasMore)
                    let isLast = !persists && generator.chance(1, of: 2)
                    switch machine.exchangeEnded(isPersistent: persists, isLastRequest: isLast, hasMore: hasMore) {
                    case .awaitRequest: #expect(goesOn && !isGone)
                    case .none: #expect(isGone)
                    case let action:
                        closes += 1
                        #expect(action == (hasEnded || (isLast && !hasMore) ? .closeAtOnce : .closeAfterResponse))
                        #expect(!isGone && !goesOn)
                        isGone = true
                    }
                    isBusy = false
                case 6:
                    let mayFollow = generator.chance(1, of: 2)
                    let action = machine.drainRequested(mayFollow: mayFollow)
                    let isIdle = !isBusy && !isGone && !awaitsLast
                    #expect((action == .close) == (isIdle && (hasEnded || !mayFollow)))
                    #expect((action == .awaitLast) == (isIdle && !hasEnded && mayFollow))
                    if action == .close {
                        closes += 1
                        isGone = true
                    }
                    if action == .awaitLast { awaitsLast = true }
                    isDrained = true
                case 7 where generator.chance(1, of: 4):
                    #expect((machine.closed() == .leave) == !isGone)
                    if !isGone { closes += 1 }
                    isGone = true
                case 8 where !isGone && generator.chance(1, of: 2):
                    machine.appEnded()
                    hasEnded = true
                case 9:
                    let action = machine.requestsRanOut()
                    #expect((action == .close) == (hasEnded && !isBusy && !isGone))
                    if action == .close {
                        closes += 1
                        isGone = true
                    }
                case 10 where isBusy && !isGone:
                    let action = machine.requestRanOut()
                    #expect((action == .abort) == hasEnded)
                    if action == .abort {
                        closes += 1
                        isGone = true
                    }
                default: break
                }
                #expect(machine.isClosed == isGone)
                #expect(closes == (isGone ? 1 : 0))
            }
        }
    }
}
