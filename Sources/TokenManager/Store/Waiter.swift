private import Locking

/// One caller that is parked until a fetch or a read ends, and the guarantee that it is answered exactly once.
///
/// The answer comes from the manager, the cancellation from any thread; whichever comes first counts.
final class Waiter<Answer: Sendable>: Sendable {
    private enum State {
        /// The caller has not parked yet.
        case arriving
        /// The caller is suspended.
        case parked(CheckedContinuation<Answer?, Never>)
        /// The answer came before the caller parked.
        case answeredEarly(Answer?)
        /// The caller has its answer.
        case done
    }

    private let state = Locked(State.arriving)

    /// Suspends until an answer or a cancellation; nil means cancelled.
    ///
    /// The isolation is a parameter because `withTaskCancellationHandler` would otherwise hop to the default
    /// executor.
    func answer(isolation: isolated (any Actor)? = #isolation) async -> Answer? {
        await withTaskCancellationHandler {
            await withCheckedContinuation { park($0) }
        } onCancel: {
            end(nil)
        }
    }

    /// Answers the caller; a second answer is dropped, because a cancellation may come at the same moment.
    func resume(_ answer: Answer) { end(answer) }

    private func end(_ answer: Answer?) {
        let continuation = state.withLock { state -> CheckedContinuation<Answer?, Never>? in
            switch state {
            case .arriving:
                state = .answeredEarly(answer)
                return nil
            case .parked(let continuation):
                state = .done
                return continuation
            case .answeredEarly, .done:
                return nil
            }
        }
        continuation?.resume(returning: answer)
    }

    private func park(_ continuation: CheckedContinuation<Answer?, Never>) {
        state.withLock { state in
            switch state {
            case .arriving: state = .parked(continuation)
            case .answeredEarly(let answer):
                state = .done
                continuation.resume(returning: answer)
            case .parked, .done: preconditionFailure("a waiter parked twice")
            }
        }
    }
}

/// Identifies one caller that is parked until a fetch ends.
package struct WaiterID: Sendable, Hashable {
    package let number: Int

    package init(_ number: Int) {
        self.number = number
    }
}

/// The callers that are parked in the store's entries, by their numbers.
struct Waiters {
    private var parked: [WaiterID: Waiter<TokenStore.Answer>] = [:]
    private var count = 0

    /// A number for one more caller.
    mutating func next() -> WaiterID {
        defer { count += 1 }
        return WaiterID(count)
    }

    /// Parks a caller.
    mutating func park(_ id: WaiterID) -> Waiter<TokenStore.Answer> {
        let waiter = Waiter<TokenStore.Answer>()
        parked[id] = waiter
        return waiter
    }

    /// Removes a caller that no longer waits and must not be answered.
    mutating func forget(_ id: WaiterID) { parked[id] = nil }

    /// Answers callers.
    mutating func answer(_ ids: [WaiterID], _ answer: TokenStore.Answer) {
        for id in ids { parked.removeValue(forKey: id)?.resume(answer) }
    }
}
