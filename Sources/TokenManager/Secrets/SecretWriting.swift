/// How far a refresh token that the server has replaced is on its way back to the file of the old one.
///
/// There is one writing at a time, as two of one file would take each other for somebody else's, and the older one might
/// come last. The owner reports every event and performs what is returned; a writing always writes what is in use when it
/// begins.
enum SecretWriting: ~Copyable {
    /// The file holds what is in use. Left when the server replaces that.
    case done
    /// It is being written, perhaps again; the file is not looked at meanwhile. Left when that ends.
    case underWay(after: TokenError?)
    /// As `underWay`, and the server has replaced meanwhile what is being written. Left when that ends, for another writing.
    case outdated(after: TokenError?)
    /// It could not be written and is in use from memory only. Left by time, by another one, and by a look at the file that
    /// finds somebody else's there.
    case failed(TokenError, retryAt: ContinuousClock.Instant)
    /// The server has replaced it by one that cannot be kept, and it may be spent. Left by another one, by a server that
    /// takes the old one again, and by a look at the file that finds somebody else's there.
    case lost(TokenError)
    /// As `lost`, while the one that may be spent is being written. Left when that ends, and by another one.
    case lostUnderWay(TokenError)

    /// How long a failed attempt rests.
    static let pause: Duration = .seconds(60)

    /// What went wrong, while it has not been put right.
    var error: TokenError? {
        switch self {
        case .done: nil
        case .underWay(let error): error
        case .outdated(let error): error
        case .failed(let error, _): error
        case .lost(let error): error
        case .lostUnderWay(let error): error
        }
    }

    /// When it is written again after a failure; nil where none waits.
    var retryAt: ContinuousClock.Instant? {
        switch self {
        case .done: nil
        case .underWay: nil
        case .outdated: nil
        case .failed(_, let retryAt): retryAt
        case .lost: nil
        case .lostUnderWay: nil
        }
    }

    /// Whether what is in use may be known to this process alone.
    var isUnsaved: Bool {
        switch self {
        case .done: false
        case .underWay: true
        case .outdated: true
        case .failed: true
        case .lost: false
        case .lostUnderWay: false
        }
    }

    /// Whether the file may change at any moment by our own hand.
    var isUnderWay: Bool {
        switch self {
        case .done: false
        case .underWay: true
        case .outdated: true
        case .failed: false
        case .lost: false
        case .lostUnderWay: true
        }
    }

    enum BeginAction: Equatable {
        /// Begin to write what is in use.
        case write
        case none
    }

    /// The server has replaced the refresh token in use.
    mutating func replaced() -> BeginAction {
        switch consume self {
        case .done:
            self = .underWay(after: nil)
            return .write
        case .underWay(let error):
            self = .outdated(after: error)
            return .none
        case .outdated(let error):
            self = .outdated(after: error)
            return .none
        case .failed(let error, _):
            self = .underWay(after: error)
            return .write
        case .lost(let error):
            self = .underWay(after: error)
            return .write
        case .lostUnderWay(let error):
            self = .outdated(after: error)
            return .none
        }
    }

    enum LostAction: Equatable {
        /// Tell that this went wrong.
        case report(TokenError)
        /// It is known already.
        case none
    }

    /// The server has replaced the refresh token in use by one that cannot be kept.
    mutating func lost(_ error: TokenError) -> LostAction {
        let known = self.error
        switch consume self {
        case .done: self = .lost(error)
        case .underWay: self = .lostUnderWay(error)
        case .outdated: self = .lostUnderWay(error)
        case .failed: self = .lost(error)
        case .lost: self = .lost(error)
        case .lostUnderWay: self = .lostUnderWay(error)
        }
        return error == known ? .none : .report(error)
    }

    /// The server has taken the refresh token in use and not replaced it.
    mutating func usedAgain() {
        switch consume self {
        case .done: self = .done
        case .underWay(let error): self = .underWay(after: error)
        case .outdated(let error): self = .outdated(after: error)
        case .failed(let error, let retryAt): self = .failed(error, retryAt: retryAt)
        case .lost: self = .done
        case .lostUnderWay(let error): self = .underWay(after: error)
        }
    }

    /// Time has passed.
    mutating func timeReached(_ now: ContinuousClock.Instant) -> BeginAction {
        switch consume self {
        case .done:
            self = .done
            return .none
        case .underWay(let error):
            self = .underWay(after: error)
            return .none
        case .outdated(let error):
            self = .outdated(after: error)
            return .none
        case .failed(let error, let retryAt):
            guard now >= retryAt else {
                self = .failed(error, retryAt: retryAt)
                return .none
            }
            self = .underWay(after: error)
            return .write
        case .lost(let error):
            self = .lost(error)
            return .none
        case .lostUnderWay(let error):
            self = .lostUnderWay(error)
            return .none
        }
    }

    /// The owner stops: what has failed is tried a last time.
    mutating func stopped() -> BeginAction {
        switch consume self {
        case .done:
            self = .done
            return .none
        case .underWay(let error):
            self = .underWay(after: error)
            return .none
        case .outdated(let error):
            self = .outdated(after: error)
            return .none
        case .failed(let error, _):
            self = .underWay(after: error)
            return .write
        case .lost(let error):
            self = .lost(error)
            return .none
        case .lostUnderWay(let error):
            self = .lostUnderWay(error)
            return .none
        }
    }

    /// Somebody else has changed the file, whose content counts from now on.
    mutating func fileChanged() {
        switch consume self {
        case .done: self = .done
        case .underWay: preconditionFailure("a file was looked at while it was written")
        case .outdated: preconditionFailure("a file was looked at while it was written")
        case .failed: self = .done
        case .lost: self = .done
        case .lostUnderWay: preconditionFailure("a file was looked at while it was written")
        }
    }

    enum WritingEndedAction: Equatable {
        /// Begin to write what is in use by now.
        case writeAgain
        /// Tell that this went wrong.
        case report(TokenError)
        case none
    }

    /// A writing came to its end; without a failure the file holds what was written, or somebody else's.
    mutating func writingEnded(_ failure: TokenError?, now: ContinuousClock.Instant) -> WritingEndedAction {
        switch consume self {
        case .done: preconditionFailure("a writing ended that was never begun")
        case .underWay(let known):
            guard let failure else {
                self = .done
                return .none
            }
            self = .failed(failure, retryAt: now + Self.pause)
            return failure == known ? .none : .report(failure)
        case .outdated(let known):
            // What became of the older one is of no interest any more.
            self = .underWay(after: known)
            return .writeAgain
        case .failed: preconditionFailure("a writing ended that was never begun")
        case .lost: preconditionFailure("a writing ended that was never begun")
        case .lostUnderWay(let error):
            self = .lost(error)
            return .none
        }
    }
}
