import ProxyCore
import Support
import Testing

@Suite struct UpstreamPoolStateMachineTests {
    /// The idle connections; nil while draining.
    private func idle(_ machine: borrowing UpstreamPoolStateMachine) -> [Int]? {
        switch machine {
        case .pooling(let idle): idle
        case .draining: nil
        }
    }

    private func machine(_ idle: [Int]?) -> UpstreamPoolStateMachine {
        if let idle { .pooling(idle) } else { .draining }
    }

    @Test(
        "The connection used last is used first; without one, a new one is opened",
        arguments: [
            ([], .connect, []), ([7], .reuse(7), []), ([1, 2, 3], .reuse(3), [1, 2]), (nil, .connect, nil),
        ] as [([Int]?, UpstreamPoolStateMachine.AcquireAction, [Int]?)])
    func acquire(_ from: [Int]?, _ action: UpstreamPoolStateMachine.AcquireAction, _ to: [Int]?) {
        var machine = machine(from)
        #expect(machine.acquire() == action)
        #expect(idle(machine) == to)
    }

    @Test(
        "A released connection is kept, except during a drain",
        arguments: [([], .keep, [9]), ([1, 2], .keep, [1, 2, 9]), (nil, .close, nil)]
            as [([Int]?, UpstreamPoolStateMachine.ReleaseAction, [Int]?)])
    func released(_ from: [Int]?, _ action: UpstreamPoolStateMachine.ReleaseAction, _ to: [Int]?) {
        var machine = machine(from)
        #expect(machine.released(9) == action)
        #expect(idle(machine) == to)
    }

    @Test(
        "A closed idle connection is forgotten, and one that is not idle changes nothing",
        arguments: [([], []), ([9], []), ([1, 9, 2], [1, 2]), ([1, 2], [1, 2]), (nil, nil)] as [([Int]?, [Int]?)])
    func idleClosed(_ from: [Int]?, _ to: [Int]?) {
        var machine = machine(from)
        machine.idleClosed(9)
        #expect(idle(machine) == to)
    }

    @Test(
        "A drain closes every idle connection once",
        arguments: [([], []), ([1, 2, 3], [1, 2, 3]), (nil, [])] as [([Int]?, [Int])])
    func drained(_ from: [Int]?, _ given: [Int]) {
        var machine = machine(from)
        #expect(machine.drained() == given)
        #expect(idle(machine) == nil)
        #expect(machine.drained() == [])
    }

    @Test(
        "When the connections' settings change, every idle one is closed, and later ones are kept",
        arguments: [([], [], []), ([1, 2], [1, 2], []), (nil, [], nil)] as [([Int]?, [Int], [Int]?)])
    func outdated(_ from: [Int]?, _ given: [Int], _ to: [Int]?) {
        var machine = machine(from)
        #expect(machine.outdated() == given)
        #expect(idle(machine) == to)
    }

    @Test("Whatever happens, no connection is given out twice or after it was closed")
    func walks() {
        var generator = SeededGenerator(seed: 0x9001)
        for _ in 0..<1000 {
            var machine = UpstreamPoolStateMachine.pooling([])
            var (leased, idle, isDraining, next) = (Set<Int>(), Set<Int>(), false, 0)
            for _ in 0..<80 {
                switch Int.random(in: 0..<20, using: &generator) {
                case 0..<8:
                    switch machine.acquire() {
                    case .reuse(let id):
                        #expect(idle.remove(id) != nil, "\(id) was not idle")
                        leased.insert(id)
                    case .connect:
                        #expect(idle.isEmpty, "a connection was made although \(idle) were idle")
                        leased.insert(next)
                        next += 1
                    }
                case 8..<14:
                    guard let id = leased.randomElement(using: &generator) else { continue }
                    leased.remove(id)
                    let action = machine.released(id)
                    #expect((action == .close) == isDraining)
                    if action == .keep { idle.insert(id) }
                case 14..<16:
                    // A lease that ended with its connection is never told to the pool.
                    if let id = leased.randomElement(using: &generator) { leased.remove(id) }
                case 16:
                    #expect(Set(machine.outdated()) == idle)
                    idle = []
                case 17..<19:
                    guard let id = idle.randomElement(using: &generator) else { continue }
                    machine.idleClosed(id)
                    idle.remove(id)
                default:
                    guard generator.chance(1, of: 6) else { continue }
                    #expect(Set(machine.drained()) == idle)
                    idle = []
                    isDraining = true
                }
            }
        }
    }
}
