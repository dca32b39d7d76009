import ProxyCore
import Support
import Testing

@Suite struct TunnelStateMachineTests {
    typealias Machine = TunnelStateMachine
    typealias Flow = TunnelStateMachine.Flow
    typealias Side = TunnelStateMachine.Side

    /// Both flows; none once it is closed.
    struct State: Equatable, Sendable {
        var toBackend: Flow?
        var toApp: Flow?

        static let closed = State()
        static let flows: [Flow] = [.moving, .blocked, .ended]
        /// Both ends together close the tunnel, so no state has both.
        static let open = flows.flatMap { toBackend in flows.map { State(toBackend: toBackend, toApp: $0) } }
            .filter { $0.toBackend != .ended || $0.toApp != .ended }
        static let all = open + [closed]

        init(toBackend: Flow? = nil, toApp: Flow? = nil) { (self.toBackend, self.toApp) = (toBackend, toApp) }

        init(_ machine: borrowing Machine) {
            switch machine {
            case .open(let toBackend, let toApp): self.init(toBackend: toBackend, toApp: toApp)
            case .closed: self.init()
            }
        }

        var machine: Machine {
            guard let toBackend, let toApp else { return .closed }
            return .open(toBackend: toBackend, toApp: toApp)
        }

        /// The flow whose receiver is the side.
        subscript(_ receiver: Side) -> Flow? {
            get { receiver == .app ? toApp : toBackend }
            set { if receiver == .app { toApp = newValue } else { toBackend = newValue } }
        }
    }

    private static let sides = [Side.app, .backend]

    @Test("A receiver without room stops its sender, once, and no other", arguments: State.all, sides)
    func blocked(_ from: State, _ receiver: Side) {
        var machine = from.machine
        #expect(machine.blocked(receiver) == (from[receiver] == .moving ? .pauseSender : .none))
        var expected = from
        if from[receiver] == .moving { expected[receiver] = .blocked }
        #expect(State(machine) == expected)
    }

    @Test(
        "A receiver that has taken everything lets its sender go on, if that has not ended", arguments: State.open,
        sides)
    func drained(_ from: State, _ receiver: Side) {
        var machine = from.machine
        #expect(machine.drained(receiver) == (from[receiver] == .blocked ? .resumeSender : .none))
        var expected = from
        if from[receiver] == .blocked { expected[receiver] = .moving }
        #expect(State(machine) == expected)
    }

    @Test("The first end goes to the other side, and the second one closes both", arguments: State.open, sides)
    func ended(_ from: State, _ sender: Side) {
        guard from[sender.other] != .ended else { return }
        var machine = from.machine
        let isSecond = from[sender] == .ended
        #expect(machine.ended(sender) == (isSecond ? .close : .endReceiver))
        var expected = from
        expected[sender.other] = .ended
        #expect(State(machine) == (isSecond ? .closed : expected))
    }

    @Test("A tunnel that breaks is closed, and breaks once", arguments: State.all)
    func broken(_ from: State) {
        var machine = from.machine
        #expect(machine.broken() == (from == .closed ? .none : .abort))
        #expect(State(machine) == .closed)
        #expect(machine.broken() == .none)
    }
}
