import ProxyCore
import Support
import Testing

@Suite struct UpstreamConnectionStateMachineTests {
    /// An exchange is a number here.
    typealias Machine = UpstreamConnectionStateMachine<Int>

    enum State: CaseIterable, Sendable {
        case new
        case leasedFirst
        case leasedAgain
        case tunnelling
        case returned
        case idle
        case closed

        init(_ machine: borrowing Machine) {
            switch machine {
            case .new: self = .new
            case .leasedFirst: self = .leasedFirst
            case .leasedAgain: self = .leasedAgain
            case .tunnelling: self = .tunnelling
            case .returned: self = .returned
            case .idle: self = .idle
            case .closed: self = .closed
            }
        }

        /// With the exchange 5, leased in turn 7, or idle as entry 3.
        var machine: Machine {
            switch self {
            case .new: .new
            case .leasedFirst: .leasedFirst(5)
            case .leasedAgain: .leasedAgain(5, inTurn: 7)
            case .tunnelling: .tunnelling
            case .returned: .returned
            case .idle: .idle(3)
            case .closed: .closed
            }
        }
    }

    @Test(
        "An exchange gets a new connection or an idle one",
        arguments: [(State.new, Machine.LeasedAction.none, State.leasedFirst), (.idle, .leaveIdle(3), .leasedAgain)])
    func leased(_ from: State, _ action: Machine.LeasedAction, _ to: State) {
        var machine = from.machine
        #expect(machine.leased(to: 5, inTurn: 7) == action)
        #expect(State(machine) == to)
        #expect(machine.isReused == (from == .idle))
    }

    @Test(
        "Only a connection that owes nothing, and has no unread bytes, may be used again",
        arguments: [State.leasedFirst, .leasedAgain, .tunnelling],
        [
            (Machine.LeaseEnd.reusable, false, Machine.LeaseEndedAction.release, State.returned),
            (.reusable, true, .close, .closed), (.complete, false, .close, .closed), (.cut, false, .abort, .closed),
        ])
    func leaseEnded(_ from: State, _ end: (Machine.LeaseEnd, Bool, Machine.LeaseEndedAction, State)) {
        var machine = from.machine
        #expect(machine.leaseEnded(end.0, holdsUnread: end.1) == end.2)
        #expect(State(machine) == end.3)
    }

    @Test(
        "A connection becomes a side of a tunnel, and is none that was reused",
        arguments: [State.new, .leasedFirst, .leasedAgain])
    func tunnelBegan(_ from: State) {
        var machine = from.machine
        machine.tunnelBegan()
        #expect(State(machine) == .tunnelling)
        let isReused = machine.isReused
        #expect(!isReused)
    }

    @Test("The pool keeps a connection that no exchange has", arguments: [State.new, .returned])
    func becameIdle(_ from: State) {
        var machine = from.machine
        machine.becameIdle(3)
        #expect(machine.closed() == .leaveIdle(3))
        #expect(State(machine) == .closed)
    }

    @Test(
        "A connection without an exchange is closed, and leaves the order of idle ones if it is in it",
        arguments: [(State.new, Machine.ClosedAction.none), (.returned, .none), (.idle, .leaveIdle(3))])
    func closed(_ from: State, _ action: Machine.ClosedAction) {
        var machine = from.machine
        #expect(machine.closed() == action)
        #expect(State(machine) == .closed)
    }

    @Test(
        "Bytes belong to the exchange, except those that arrived before its request",
        arguments: [
            (State.leasedFirst, UInt64(7), Machine.BytesReceivedAction.forward(5)), (.leasedFirst, 8, .forward(5)),
            (.leasedAgain, 7, .fail(5)), (.leasedAgain, 8, .forward(5)), (.idle, 7, .close),
        ])
    func bytesReceived(_ from: State, _ turn: UInt64, _ action: Machine.BytesReceivedAction) {
        let machine = from.machine
        let received = machine.bytesReceived(inTurn: turn)
        #expect(received == action)
    }

    @Test(
        "The exchange learns that a backend has stopped, and an idle connection ends with it",
        arguments: [
            (State.leasedFirst, Machine.BackendStoppedAction.tell(5)), (.leasedAgain, .tell(5)), (.idle, .close),
        ])
    func backendStopped(_ from: State, _ action: Machine.BackendStoppedAction) {
        let machine = from.machine
        let stopped = machine.backendStopped()
        #expect(stopped == action)
    }

    @Test(
        "The exchange learns that there is room again, and an idle connection stays",
        arguments: [(State.leasedFirst, Machine.DrainedAction.tell(5)), (.leasedAgain, .tell(5)), (.idle, .none)])
    func drained(_ from: State, _ action: Machine.DrainedAction) {
        let machine = from.machine
        let drained = machine.drained()
        #expect(drained == action)
    }

    @Test("Whatever happens, a connection has one exchange at a time, and no idle entry is lost")
    func walks() {
        var generator = SeededGenerator(seed: 0xC0)
        for _ in 0..<2000 {
            var machine = Machine.new
            var (exchange, entry, hasIdled, isReturned) = (Int?.none, Int?.none, false, false)
            for step in 1..<40 {
                let state = State(machine)
                #expect((exchange != nil) == (state == .leasedFirst || state == .leasedAgain))
                #expect((entry != nil) == (state == .idle) && isReturned == (state == .returned))
                guard state != .closed else { break }
                switch Int.random(in: 0..<8, using: &generator) {
                case 0...2 where exchange == nil && !isReturned:
                    #expect(machine.leased(to: step, inTurn: 7) == entry.map { .leaveIdle($0) } ?? .none)
                    (exchange, entry) = (step, nil)
                case 3...5:
                    guard let holder = exchange else { continue }
                    #expect(machine.isReused == hasIdled)
                    let (received, stopped) = (machine.bytesReceived(inTurn: 7), machine.backendStopped())
                    #expect(received == (hasIdled ? .fail(holder) : .forward(holder)))
                    #expect(stopped == .tell(holder))
                    isReturned = machine.leaseEnded(.reusable, holdsUnread: generator.chance(1, of: 8)) == .release
                    exchange = nil
                case 6 where exchange == nil && entry == nil:
                    machine.becameIdle(step)
                    (entry, hasIdled, isReturned) = (step, true, false)
                case 7 where exchange == nil && generator.chance(1, of: 4):
                    #expect(machine.closed() == entry.map { .leaveIdle($0) } ?? .none)
                    (entry, isReturned) = (nil, false)
                default: break
                }
            }
        }
    }
}
