import Glibc
import Support
import Synchronization
import Testing

@testable import EventTransport

@Suite("An event loop")
struct EventLoopTests {
    @Test("belongs to the thread that made it, then to the one that runs it")
    func ownership() throws {
        let loop = try EventLoop()
        #expect(loop.isCurrent)
        let thread = try EventLoop.startThread(name: "a name that is far too long") { inner in
            #expect(inner.isCurrent)
            inner.stop()
        }
        thread.join()
        #expect(!thread.loop.isCurrent)
    }

    @Test("runs work from its own thread later and in order")
    func localOrder() throws {
        let loop = try EventLoop()
        let seen = Monitor<[Int]>([])
        for number in 0..<1000 {
            loop.execute { seen.access { $0.append(number) } }
        }
        #expect(seen.access { $0.isEmpty })
        loop.runUntil { seen.access { $0.count } == 1000 }
        #expect(seen.access { $0 } == Array(0..<1000))
    }

    @Test("runs work from other threads in the order of each thread")
    func remoteOrder() throws {
        let thread = try EventLoop.startThread(name: "loop") { _ in }
        let seen = Monitor<[[Int]]>(Array(repeating: [], count: 4))
        let total = Atomic<Int>(0)
        let finished = Gate("all work is done")
        let writers = (0..<4).map { writer in
            BackgroundThread("writer") {
                for number in 0..<500 {
                    thread.loop.execute {
                        #expect(thread.loop.isCurrent)
                        seen.access { $0[writer].append(number) }
                        if total.add(1, ordering: .relaxed).newValue == 2000 { finished.open() }
                    }
                }
            }
        }
        for writer in writers { try writer.join() }
        try finished.wait()
        #expect(seen.access { $0 } == Array(repeating: Array(0..<500), count: 4))
        thread.loop.stop()
        thread.join()
    }

    @Test("serves sockets between work items that add more work")
    func fairness() throws {
        let loop = try EventLoop()
        let pair = StreamPair.local(loop)
        let recorder = pair.connection.record()
        var rounds = 0
        func again() {
            rounds += 1
            if !recorder.hasEnded { loop.later(again) }
        }
        again()
        pair.peer.send("hello")
        pair.peer.close()
        loop.runUntil { recorder.hasEnded }
        #expect(recorder.text == "hello")
        #expect(rounds > 1)
        pair.connection.close()
    }

    @Test("has one time within a turn and a later one in the next")
    func now() throws {
        let loop = try EventLoop()
        var first: [MonotonicInstant] = []
        var second: MonotonicInstant?
        let timer = Timer(loop: loop) { second = loop.now }
        loop.later {
            first = [loop.now]
            while MonotonicInstant.now <= first[0] {}
            first.append(loop.now)
            timer.schedule(after: .nanoseconds(1))
        }
        loop.runUntil { second != nil }
        #expect(first.count == 2 && first[0] == first[1])
        #expect(try #require(second) > first[0])
    }

    @Test("does not take its setup time for the time of its first turn")
    func nowBeforeRunning() throws {
        let loop = try EventLoop()
        let before = loop.now
        var isLate = false
        loop.later { isLate = loop.now > before }
        while MonotonicInstant.now <= before {}
        loop.runUntil { isLate }
    }

    @Test("stops at once if it was stopped before it ran")
    func stopFirst() throws {
        let loop = try EventLoop()
        loop.stop()
        loop.run()
    }

    @Test("does not return when it has no events")
    func staysUp() throws {
        let thread = try EventLoop.startThread(name: "idle") { _ in }
        for _ in 0..<2 {
            let done = Gate("work of an idle loop is done")
            thread.loop.execute { done.open() }
            try done.wait()
        }
        thread.loop.stop()
        thread.join()
    }

    @Test("frees every object that belonged to it")
    func release() throws {
        weak var weakLoop: EventLoop?
        do {
            let loop = try EventLoop()
            weakLoop = loop
            let pair = StreamPair.local(loop)
            let recorder = pair.connection.record()
            pair.peer.send("x")
            loop.runUntil { !recorder.calls.isEmpty }
            pair.connection.close()
        }
        #expect(weakLoop == nil)
    }
}
