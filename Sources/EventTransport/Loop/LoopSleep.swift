// SAFETY: all state is used on the loop's thread only; `cancel()`, which any thread may call, switches to it first.
/// One task that sleeps on a loop until its timer or a cancellation wakes it, whichever comes first.
///
/// Confined to the loop's thread except for `cancel()`.
final class LoopSleep: @unchecked Sendable {
    private enum State {
        /// The task is not asleep yet.
        case awake
        case asleep(CheckedContinuation<Void, any Error>, Timer)
        /// The task was woken, or cancelled before it fell asleep.
        case over
    }

    private let loop: EventLoop
    private var state = State.awake

    init(on loop: EventLoop) { self.loop = loop }

    func begin(until instant: ContinuousClock.Instant, _ sleeper: CheckedContinuation<Void, any Error>) {
        if case .over = state { return sleeper.resume(throwing: CancellationError()) }
        // The timer keeps this object alive, and `wake` breaks the reference cycle.
        let timer = Timer(loop: loop) { self.wake(.success(())) }
        timer.schedule(at: MonotonicInstant(instant))
        state = .asleep(sleeper, timer)
    }

    /// Cancels the sleep; any thread.
    func cancel() {
        loop.execute { self.wake(.failure(CancellationError())) }
    }

    private func wake(_ result: Result<Void, any Error>) {
        let state = state
        self.state = .over
        if case .asleep(let sleeper, _) = state { sleeper.resume(with: result) }
    }
}

extension EventLoop {
    /// Suspends the task until the instant; the loop's own timer wakes it, on the loop if that is its executor.
    ///
    /// Any thread. Throws only `CancellationError`.
    package func sleep(until instant: ContinuousClock.Instant) async throws {
        let sleep = LoopSleep(on: self)
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { sleeper in
                if isCurrent {
                    sleep.begin(until: instant, sleeper)
                } else {
                    execute { sleep.begin(until: instant, sleeper) }
                }
            }
        } onCancel: {
            sleep.cancel()
        }
    }
}
