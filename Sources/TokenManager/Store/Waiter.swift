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
