import Support
import Testing

@testable import EventTransport

/// An actor that lives on a loop.
private actor Resident {
    private let loop: EventLoop
    nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }
    private(set) var count = 0

    init(_ loop: EventLoop) { self.loop = loop }

    func increment() -> Bool {
        count += 1
        return loop.isCurrent
    }

    func sleepThenTell(_ duration: Duration) async throws -> Bool {
        try await loop.sleep(until: .now + duration)
        return loop.isCurrent
    }

    func startSleeper() -> Task<Bool, any Error> {
        Task {
            try await loop.sleep(until: .now + .seconds(3600))
            return false
        }
    }

    nonisolated func assertHere() { assumeIsolated { _ in } }
}

@Suite("A loop as executor")
struct ExecutorTests {
    private let thread: LoopThread

    init() throws { thread = try EventLoop.startThread(name: "executor") { _ in } }

    private func end() {
        thread.loop.stop()
        thread.join()
    }

    @Test("runs an actor's jobs on its thread, one after the other")
    func actorJobs() async throws {
        let resident = Resident(thread.loop)
        await withTaskGroup(of: Bool.self) { group in
            for _ in 0..<200 { group.addTask { await resident.increment() } }
            for await isOnLoop in group { #expect(isOnLoop) }
        }
        #expect(await resident.count == 200)
        end()
    }

    @Test("lets synchronous code on the loop enter the actor")
    func assumeIsolated() throws {
        let resident = Resident(thread.loop)
        let done = Gate("the actor was entered")
        thread.loop.execute {
            resident.assertHere()
            done.open()
        }
        try done.wait()
        end()
    }

    @Test("runs tasks that prefer it")
    func taskExecutor() async throws {
        let loop = thread.loop
        let isOnLoop = await Task(executorPreference: loop) { loop.isCurrent }.value
        #expect(isOnLoop)
        end()
    }

    @Test("wakes a sleeping task on the loop, and not before its instant")
    func sleep() async throws {
        let resident = Resident(thread.loop)
        let start = ContinuousClock.now
        #expect(try await resident.sleepThenTell(.milliseconds(10)))
        #expect(ContinuousClock.now - start >= .milliseconds(10))
        end()
    }

    @Test("wakes a sleeping task when its clock is moved on")
    func advance() async throws {
        let loop = thread.loop
        let sleeper = Task(executorPreference: loop) {
            try await loop.sleep(until: loop.continuousNow + .seconds(3600))
        }
        // The task, which was given first, sleeps when the clock moves.
        await Task(executorPreference: loop) { loop.advance(by: .seconds(3600)) }.value
        try await sleeper.value
        #expect(loop.continuousNow > .now + .seconds(3599))
        end()
    }

    @Test("ends a sleep that is cancelled")
    func cancelledSleep() async throws {
        let resident = Resident(thread.loop)
        let sleeper = await resident.startSleeper()
        _ = await resident.increment()
        sleeper.cancel()
        await #expect(throws: CancellationError.self) { try await sleeper.value }
        end()
    }

    @Test("does not begin a sleep in a task that is already cancelled")
    func cancelledBefore() async throws {
        let loop = thread.loop
        let task = Task {
            while !Task.isCancelled { await Task.yield() }
            try await loop.sleep(until: .now + .seconds(3600))
        }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        end()
    }

    @Test("returns from a sleep whose instant has passed")
    func pastSleep() async throws {
        try await thread.loop.sleep(until: .now - .seconds(1))
        end()
    }
}
