/// The loads of the configuration: one at a time, only with all workers, and none once the process stops.
///
/// Owned by the object beside the workers that loads the configuration, and that keeps the requests for loads.
package enum ReloadStateMachine: ~Copyable {
    /// No load is wanted. Left by `wanted`, `fileChanged` and `drainBegan`.
    case idle
    /// A load is wanted, and begins with `proceeded` when all workers have joined. Left by `drainBegan` too.
    case waiting
    /// A load is at a step. Left by the end of the last step, by a step that fails, and by `drainBegan`.
    case running(Step, isWantedAgain: Bool)
    /// The process stops during a load. Left by the end of the step.
    case stopping(Step)
    /// The process stops, and no load begins any more. Final.
    case stopped

    /// What a load does, in this order.
    package enum Step: Equatable, Sendable {
        /// A thread reads the file and all files that it names.
        case reading
        /// The workers prepare what may fail.
        case preparing
        /// The token manager makes sure that no refresh token is lost.
        case savingTokens
        /// The workers and the token manager take the configuration over.
        case swapping
    }

    package enum BeginAction: Equatable {
        /// Begin to read the file, for all requests so far.
        case load
        /// Refuse all requests, because the process stops.
        case refuse
        case none
    }

    /// Somebody asks for a load.
    package mutating func wanted(areWorkersComplete: Bool) -> BeginAction {
        switch consume self {
        case .idle:
            self = .waiting
            return proceeded(areWorkersComplete: areWorkersComplete)
        case .waiting:
            self = .waiting
            return .none
        case .running(let step, _):
            self = .running(step, isWantedAgain: true)
            return .none
        case .stopping(let step):
            self = .stopping(step)
            return .none
        case .stopped:
            self = .stopped
            return .refuse
        }
    }

    package enum FileChangedAction: Equatable {
        /// Begin to read the file.
        case load
        /// The next look finds the change again.
        case none
    }

    /// A look has found another version of the file.
    package mutating func fileChanged(areWorkersComplete: Bool) -> FileChangedAction {
        switch consume self {
        case .idle:
            self = areWorkersComplete ? .running(.reading, isWantedAgain: false) : .idle
            return areWorkersComplete ? .load : .none
        case .waiting:
            self = .waiting
            return .none
        case .running(let step, let isWantedAgain):
            self = .running(step, isWantedAgain: isWantedAgain)
            return .none
        case .stopping(let step):
            self = .stopping(step)
            return .none
        case .stopped:
            self = .stopped
            return .none
        }
    }

    /// A load was reported, or a worker has joined.
    package mutating func proceeded(areWorkersComplete: Bool) -> BeginAction {
        switch consume self {
        case .idle:
            self = .idle
            return .none
        case .waiting:
            self = areWorkersComplete ? .running(.reading, isWantedAgain: false) : .waiting
            return areWorkersComplete ? .load : .none
        case .running(let step, let isWantedAgain):
            self = .running(step, isWantedAgain: isWantedAgain)
            return .none
        case .stopping(let step):
            self = .stopping(step)
            return .none
        case .stopped:
            self = .stopped
            return .refuse
        }
    }

    /// The process begins to stop; again at each further signal.
    ///
    /// A load that swaps is carried out, because workers have the configuration already.
    package mutating func drainBegan() -> BeginAction {
        switch consume self {
        case .idle:
            self = .stopped
            return .none
        case .waiting:
            self = .stopped
            return .refuse
        case .running(let step, _):
            self = .stopping(step)
            return .none
        case .stopping(let step):
            self = .stopping(step)
            return .none
        case .stopped:
            self = .stopped
            return .none
        }
    }

    package enum StepAction: Equatable {
        /// Begin the next step.
        case next
        /// Undo the steps so far and report what is wrong.
        case fail
        /// Undo the steps so far and report that the process stops.
        case stop
    }

    package mutating func fileRead(isUsable: Bool) -> StepAction { ended(.reading, isUsable, next: .preparing) }

    package mutating func workersPrepared(isUsable: Bool) -> StepAction {
        ended(.preparing, isUsable, next: .savingTokens)
    }

    package mutating func tokensSaved(isUsable: Bool) -> StepAction { ended(.savingTokens, isUsable, next: .swapping) }

    private mutating func ended(_ step: Step, _ isUsable: Bool, next: Step) -> StepAction {
        switch consume self {
        case .running(let current, let isWantedAgain):
            precondition(current == step, "another step of a reload ended than the one that ran")
            guard isUsable else {
                self = isWantedAgain ? .waiting : .idle
                return .fail
            }
            self = .running(next, isWantedAgain: isWantedAgain)
            return .next
        case .stopping(let current):
            precondition(current == step, "another step of a reload ended than the one that ran")
            self = .stopped
            return .stop
        case .idle: preconditionFailure("a step of a reload ended that never began")
        case .waiting: preconditionFailure("a step of a reload ended that never began")
        case .stopped: preconditionFailure("a step of a reload ended that never began")
        }
    }

    /// The configuration is in force.
    package mutating func swapped() {
        switch consume self {
        case .running(let current, let isWantedAgain):
            precondition(current == .swapping, "a configuration came into force that was not prepared")
            self = isWantedAgain ? .waiting : .idle
        case .stopping(let current):
            precondition(current == .swapping, "a configuration came into force that was not prepared")
            self = .stopped
        case .idle: preconditionFailure("a configuration came into force that was not prepared")
        case .waiting: preconditionFailure("a configuration came into force that was not prepared")
        case .stopped: preconditionFailure("a configuration came into force that was not prepared")
        }
    }
}
