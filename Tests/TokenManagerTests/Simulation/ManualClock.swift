import Locking
import TokenManager

/// A clock that stands still until the test moves it.
final class ManualClock: TokenClock {
    private struct Sleeper {
        let number: Int
        let deadline: ContinuousClock.Instant
        let continuation: CheckedContinuation<Bool, Never>
    }

    private struct State {
        var now: ContinuousClock.Instant
        var sleepers: [Sleeper] = []
        var cancelled: Set<Int> = []
        var count = 0
    }

    let start: ContinuousClock.Instant
    /// What the wall clock said at the start: 2026-01-01T00:00:00Z.
    let unixStart = 1_767_225_600.0
    private let state: Locked<State>

    init() {
        start = ContinuousClock.now
        state = Locked(State(now: start))
    }

    var now: ContinuousClock.Instant { state.withLock { $0.now } }

    var unixTime: Double { unixStart + elapsed / .seconds(1) }

    /// Time since the start.
    var elapsed: Duration { now - start }

    var sleeperCount: Int { state.withLock { $0.sleepers.count } }

    func sleep(until deadline: ContinuousClock.Instant) async throws {
        let number = state.withLock { state in
            state.count += 1
            return state.count
        }
        let isDue = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let answer = state.withLock { state -> Bool? in
                    if state.cancelled.remove(number) != nil { return false }
                    if deadline <= state.now { return true }
                    state.sleepers.append(Sleeper(number: number, deadline: deadline, continuation: continuation))
                    return nil
                }
                if let answer { continuation.resume(returning: answer) }
            }
        } onCancel: {
            let continuation = state.withLock { state -> CheckedContinuation<Bool, Never>? in
                guard let index = state.sleepers.firstIndex(where: { $0.number == number }) else {
                    state.cancelled.insert(number)
                    return nil
                }
                return state.sleepers.remove(at: index).continuation
            }
            continuation?.resume(returning: false)
        }
        if !isDue { throw CancellationError() }
    }

    /// Moves to the next deadline up to `limit` and wakes its sleeper; false if there is none.
    func step(to limit: ContinuousClock.Instant) -> Bool {
        let sleeper = state.withLock { state -> Sleeper? in
            guard
                let index = state.sleepers.indices.min(by: {
                    state.sleepers[$0].deadline < state.sleepers[$1].deadline
                }), state.sleepers[index].deadline <= limit
            else {
                state.now = max(state.now, limit)
                return nil
            }
            let sleeper = state.sleepers.remove(at: index)
            state.now = max(state.now, sleeper.deadline)
            return sleeper
        }
        sleeper?.continuation.resume(returning: true)
        return sleeper != nil
    }
}
