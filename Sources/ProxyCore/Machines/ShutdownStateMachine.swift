/// The end of the process, from the first signal or request to drain on: it stops taking requests, waits for those in
/// progress, and then aborts them.
///
/// Owned by the control, which exists once. `workers` counts the serving ones, each of which reports
/// when it has drained.
package enum ShutdownStateMachine: ~Copyable {
    /// Left by `drainRequested`.
    case serving
    /// Not ready any more, so that load balancers stop sending, but still listening. Left by `drainRequested`,
    /// `clientsLeft` and `timeReached`.
    case delaying(for: Trigger)
    /// The running exchanges of `undrained` workers finish. Left by `workerDrained`, `drainRequested` and
    /// `timeReached`.
    case draining(undrained: Int, for: Trigger)
    /// Running requests are aborted, `cut` of them so far. Left by `workerDrained` and `timeReached`.
    case aborting(undrained: Int, cut: Int)
    /// Final.
    case stopped

    /// Who asked for the end.
    package enum Trigger: Sendable {
        /// A request of an operator. The first signal after it changes nothing: it is the end that the request prepared,
        /// as when Kubernetes runs a `preStop` hook.
        case request
        case signal
    }

    package enum DrainRequestedAction: Equatable {
        /// Report again after the delay.
        case delay
        /// Drain every worker, and report again after the grace period.
        case drain
        /// Abort what is in progress, and report again soon.
        case abort
        /// The end is in progress already.
        case none
    }

    /// Someone asks the process to end.
    ///
    /// Each signal after the first one ends the current wait.
    package mutating func drainRequested(
        by trigger: Trigger, hasDelay: Bool, workers: Int
    ) -> DrainRequestedAction {
        switch consume self {
        case .serving:
            if hasDelay {
                self = .delaying(for: trigger)
                return .delay
            }
            self = .draining(undrained: workers, for: trigger)
            return .drain
        case .delaying(for: .signal) where trigger == .signal:
            self = .draining(undrained: workers, for: .signal)
            return .drain
        case .delaying(let earlier):
            self = .delaying(for: trigger == .signal ? .signal : earlier)
            return .none
        case .draining(let undrained, for: .signal) where trigger == .signal:
            self = .aborting(undrained: undrained, cut: 0)
            return .abort
        case .draining(let undrained, let earlier):
            self = .draining(undrained: undrained, for: trigger == .signal ? .signal : earlier)
            return .none
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
        /// Stop without what even an abort has not ended; `cut` requests were cut.
        case stop(cut: Int)
        /// The process has stopped already.
        case none
    }

    /// The delay, the grace period or the last wait is over.
    package mutating func timeReached(workers: Int) -> TimeReachedAction {
        switch consume self {
        case .serving: preconditionFailure("a timeout passed that was not set")
        case .delaying(let trigger):
            self = .draining(undrained: workers, for: trigger)
            return .drain
        case .draining(let undrained, _):
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

    package enum ClientsLeftAction: Equatable {
        case drain
        /// The delay is over already.
        case none
    }

    /// No client has been connected for as long as the configuration asks for.
    package mutating func clientsLeft(workers: Int) -> ClientsLeftAction {
        switch consume self {
        case .serving: preconditionFailure("clients were awaited before a drain was requested")
        case .delaying(let trigger):
            self = .draining(undrained: workers, for: trigger)
            return .drain
        case .draining(let undrained, let trigger):
            self = .draining(undrained: undrained, for: trigger)
            return .none
        case .aborting(let undrained, let cut):
            self = .aborting(undrained: undrained, cut: cut)
            return .none
        case .stopped:
            self = .stopped
            return .none
        }
    }

    package enum WorkerJoinedAction: Equatable {
        /// The end is near.
        case announce
        /// The worker came too late to serve.
        case drain
        case none
    }

    /// A worker has started.
    package mutating func workerJoined() -> WorkerJoinedAction {
        switch consume self {
        case .serving:
            self = .serving
            return .none
        case .delaying(let trigger):
            self = .delaying(for: trigger)
            return .announce
        case .draining(let undrained, let trigger):
            self = .draining(undrained: undrained + 1, for: trigger)
            return .drain
        case .aborting(let undrained, let cut):
            self = .aborting(undrained: undrained + 1, cut: cut)
            return .drain
        case .stopped:
            self = .stopped
            return .none
        }
    }

    /// A worker cuts `count` requests.
    package mutating func requestsCut(_ count: Int) {
        switch consume self {
        case .serving: preconditionFailure("a worker cut requests before an abort was requested")
        case .delaying: preconditionFailure("a worker cut requests before an abort was requested")
        case .draining: preconditionFailure("a worker cut requests before an abort was requested")
        case .aborting(let undrained, let cut): self = .aborting(undrained: undrained, cut: cut + count)
        // The worker learned of the abort only after the last wait was over.
        case .stopped: self = .stopped
        }
    }

    package enum WorkerDrainedAction: Equatable {
        /// Every worker has drained; `cut` requests were cut, nil if all had time to finish.
        case stop(cut: Int?)
        /// Others have not drained yet, or the process has stopped already.
        case none
    }

    /// A worker has no connection left.
    package mutating func workerDrained() -> WorkerDrainedAction {
        switch consume self {
        case .serving: preconditionFailure("a worker drained before a drain was requested")
        case .delaying: preconditionFailure("a worker drained before a drain was requested")
        case .draining(let undrained, let trigger):
            guard undrained > 1 else {
                self = .stopped
                return .stop(cut: nil)
            }
            self = .draining(undrained: undrained - 1, for: trigger)
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

    /// Whether listeners accept requests.
    package var isAccepting: Bool {
        switch self {
        case .serving: true
        case .delaying: true
        case .draining: false
        case .aborting: false
        case .stopped: false
        }
    }

    /// Whether load balancers may send requests.
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
