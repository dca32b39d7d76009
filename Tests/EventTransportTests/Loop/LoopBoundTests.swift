import Support
import Testing

@testable import EventTransport

@Suite("A value bound to a loop")
struct LoopBoundTests {
    private final class Witness {
        private let loop: EventLoop
        private let released: Monitor<[Bool]>

        init(_ loop: EventLoop, _ released: Monitor<[Bool]>) {
            self.loop = loop
            self.released = released
        }

        deinit { released.access { $0.append(loop.isCurrent) } }
    }

    @Test("is released on its loop, wherever its last copy is")
    func onLoop() throws {
        let released = Monitor<[Bool]>([])
        let made = Monitor<[LoopBound<Witness>]>([])
        let thread = try EventLoop.startThread(name: "bound") { loop in
            for _ in 0..<100 { made.access { $0.append(LoopBound(Witness(loop, released), loop: loop)) } }
        }
        try made.wait("the values are there") { $0.count == 100 ? () : nil }
        let others = (0..<2).map { number in
            BackgroundThread("releaser") {
                for _ in 0..<50 {
                    // Half of them are also used on the loop, which may let go of them first or last.
                    guard let bound = made.access({ $0.popLast() }) else { return }
                    if number == 0 { thread.loop.execute { _ = bound.value } }
                }
            }
        }
        for other in others { try other.join() }
        try released.wait("all are released") { $0.count == 100 ? () : nil }
        #expect(released.access { $0.allSatisfy(\.self) })
        thread.loop.stop()
        thread.join()
    }

    @Test("is released at once if its loop has ended or never ran")
    func withoutLoop() throws {
        let released = Monitor<[Bool]>([])
        let thread = try EventLoop.startThread(name: "ended") { $0.stop() }
        thread.join()
        do { _ = LoopBound(Witness(thread.loop, released), loop: thread.loop) }
        #expect(released.access { $0.count } == 1)
        var loop: EventLoop? = try EventLoop()
        loop?.disown()
        var bound = loop.map { loop in LoopBound(Released(released), loop: loop) }
        loop = nil
        #expect(bound != nil)
        bound = nil
        #expect(released.access { $0.count } == 2)
    }

    /// Unlike a witness it does not keep the loop.
    private final class Released {
        private let released: Monitor<[Bool]>

        init(_ released: Monitor<[Bool]>) { self.released = released }

        deinit { released.access { $0.append(true) } }
    }
}

@Suite("Work from other threads")
struct RemoteWorkTests {
    @Test("is accepted in order until the loop ends, and then refused and released")
    func end() throws {
        let remote = try RemoteWork()
        let seen = Monitor<[Int]>([])
        var work: [LoopWork] = []
        for number in 0..<3 { #expect(remote.append(.block { seen.access { $0.append(number) } })) }
        remote.take(into: &work)
        #expect(remote.append(.block { seen.access { $0.append(3) } }))
        remote.close(into: &work)
        #expect(work.count == 4)
        var kept: Gate? = Gate()
        weak let weakKept = kept
        let isTaken = remote.append(.block { [kept] in kept?.open() })
        kept = nil
        remote.take(into: &work)
        #expect(!isTaken && work.count == 4 && weakKept == nil)
        for case .block(let block) in work { block() }
        #expect(seen.access { $0 } == [0, 1, 2, 3])
        remote.open()
        #expect(remote.append(.block {}))
    }

    @Test("is run if it was accepted, even if the loop ends meanwhile")
    func race() throws {
        for _ in 0..<20 {
            let (taken, run) = (Monitor(0), Monitor(0))
            let thread = try EventLoop.startThread(name: "ending") { _ in }
            let others = (0..<2).map { _ in
                BackgroundThread("giver") {
                    for _ in 0..<200 {
                        let bound = LoopBound(Counted(run), loop: thread.loop)
                        taken.access { $0 += 1 }
                        _ = bound
                    }
                }
            }
            thread.loop.stop()
            thread.join()
            for other in others { try other.join() }
            #expect(run.access { $0 } == taken.access { $0 })
        }
    }

    private final class Counted {
        private let count: Monitor<Int>

        init(_ count: Monitor<Int>) { self.count = count }

        deinit { count.access { $0 += 1 } }
    }
}
