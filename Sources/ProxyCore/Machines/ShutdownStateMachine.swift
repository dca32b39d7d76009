/// The end of the process, from the first signal on: first without new requests, then without any, then without patience.
///
/// Owned by what is there once beside the workers; `workers` counts those that serve, each of which reports when it has
/// drained.
package enum ShutdownStateMachine: ~Copyable {
    /// Left by `drainRequested`.
    case serving
    /// Not ready any more, so that whoever sends traffic stops; still listening. Left by `drainRequested` and `timeReached`.
    case delaying
    /// Running exchanges finish, of so many workers. Left by `workerDrained`, `drainRequested` and `timeReached`.
    case draining(undrained: Int)
    /// What has not finished is given up, so many requests by now. Left by `workerDrained` and `timeReached`.
    case aborting(undrained: Int, cut: Int)
    /// Nothing leaves.
    case stopped

    package enum DrainRequestedAction: Equatable {
        /// Come back after the delay.
        case delay
        /// Let every worker drain, and come back after the grace.
        case drain
        /// Give up what is under way, and come back soon.
        case abort
        /// There is nothing more to be asked for.
        case none
    }

    /// Somebody wants the process to end; who asks again does not want to wait.
    package mutating func drainRequested(hasDelay: Bool, workers: Int) -> DrainRequestedAction {
        switch consume self {
        case .serving:
            if hasDelay {
                self = .delaying
                return .delay
            }
            self = .draining(undrained: workers)
            return .drain
        case .delaying:
            self = .draining(undrained: workers)
            return .drain
        case .draining(let undrained):
            self = .aborting(undrained: undrained, cut: 0)
            return .abort
        case .aborting(let undrained, let cut):
            self = .aborting(undrained: undrained, cut: cut)
            return .none
        case .stopped:
            self = .stopped
            return .none
        }
    }

    package enum TimeReachedAction: Equatable {
        case drain
        case abort
        /// What even an abort has not ended is left behind; so many requests were cut.
        case stop(cut: Int)
        /// It has stopped already.
        case none
    }

    /// The delay, the grace or the last wait is over.
    package mutating func timeReached(workers: Int) -> TimeReachedAction {
        switch consume self {
        case .serving: preconditionFailure("a time ran out that was never waited for")
        case .delaying:
            self = .draining(undrained: workers)
            return .drain
        case .draining(let undrained):
            self = .aborting(undrained: undrained, cut: 0)
            return .abort
        case .aborting(_, let cut):
            self = .stopped
            return .stop(cut: cut)
        case .stopped:
            self = .stopped
            return .none
        }
    }

    package enum WorkerJoinedAction: Equatable {
        /// It came too late to serve.
        case drain
        case none
    }

    /// A worker has started.
    package mutating func workerJoined() -> WorkerJoinedAction {
        switch consume self {
        case .serving:
            self = .serving
            return .none
        case .delaying:
            self = .delaying
            return .none
        case .draining(let undrained):
            self = .draining(undrained: undrained + 1)
            return .drain
        case .aborting(let undrained, let cut):
            self = .aborting(undrained: undrained + 1, cut: cut)
            return .drain
        case .stopped:
            self = .stopped
            return .none
        }
    }

    /// A worker gives up so many requests.
    package mutating func requestsCut(_ count: Int) {
        switch consume self {
        case .serving: preconditionFailure("a worker gave up requests that nobody asked to")
        case .delaying: preconditionFailure("a worker gave up requests that nobody asked to")
        case .draining: preconditionFailure("a worker gave up requests that nobody asked to")
        case .aborting(let undrained, let cut): self = .aborting(undrained: undrained, cut: cut + count)
        // It took longer to hear of the abort than was waited for.
        case .stopped: self = .stopped
        }
    }

    package enum WorkerDrainedAction: Equatable {
        /// Nothing is left; so many requests were cut, nil where all had time to finish.
        case stop(cut: Int?)
        /// Others have not drained yet, or nobody waits any more.
        case none
    }

    /// A worker has no connection left.
    package mutating func workerDrained() -> WorkerDrainedAction {
        switch consume self {
        case .serving: preconditionFailure("a worker drained that nobody asked to")
        case .delaying: preconditionFailure("a worker drained that nobody asked to")
        case .draining(let undrained):
            guard undrained > 1 else {
                self = .stopped
                return .stop(cut: nil)
            }
            self = .draining(undrained: undrained - 1)
            return .none
        case .aborting(let undrained, let cut):
            guard undrained > 1 else {
                self = .stopped
                return .stop(cut: cut)
            }
            self = .aborting(undrained: undrained - 1, cut: cut)
            return .none
        case .stopped:
            self = .stopped
            return .none
        }
    }

    /// Whether whoever sends traffic may go on.
    package var isServing: Bool {
        switch self {
        case .serving: true
        case .delaying: false
        case .draining: false
        case .aborting: false
        case .stopped: false
        }
    }
}
