import Locking
import Testing

/// An executor that runs its jobs when the test says so, on the test's thread: nothing happens by chance.
final class TestLoop: SerialExecutor, TaskExecutor {
    private struct Queue {
        var jobs: [UnownedJob] = []
        var isRunning = false
    }

    private let queue = Locked(Queue())

    /// Whether a job of this loop is what runs now.
    var isRunning: Bool { queue.withLock { $0.isRunning } }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.withLock { $0.jobs.append(job) }
    }

    /// Runs until there is nothing left to do.
    func run() {
        while true {
            let job = queue.withLock { queue -> UnownedJob? in
                guard !queue.jobs.isEmpty else { return nil }
                queue.isRunning = true
                return queue.jobs.removeFirst()
            }
            guard let job else { return }
            job.runSynchronously(isolatedTo: asUnownedSerialExecutor(), taskExecutor: asUnownedTaskExecutor())
            queue.withLock { $0.isRunning = false }
        }
    }

    /// Starts a task on this loop.
    func spawn<Value: Sendable>(_ work: @escaping @Sendable () async -> Value) -> Outcome<Value> {
        let outcome = Outcome<Value>()
        outcome.task = Task(executorPreference: self) { outcome.value = await work() }
        return outcome
    }

    /// Runs a task that needs no time to its end.
    func call<Value: Sendable>(_ work: @escaping @Sendable () async -> Value) throws -> Value {
        let outcome = spawn(work)
        run()
        return try #require(outcome.value, "the call waits for something")
    }
}

/// What a task on the loop came to.
final class Outcome<Value: Sendable>: Sendable {
    private let state = Locked<(value: Value?, task: Task<Void, Never>?)>((nil, nil))

    var value: Value? {
        get { state.withLock { $0.value } }
        set {
            state.withLock {
                precondition($0.value == nil, "a task ended twice")
                $0.value = newValue
            }
        }
    }

    var task: Task<Void, Never>? {
        get { state.withLock { $0.task } }
        set { state.withLock { $0.task = newValue } }
    }

    func cancel() { task?.cancel() }
}
