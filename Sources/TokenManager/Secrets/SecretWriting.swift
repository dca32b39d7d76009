/// The write of a new refresh token from the server to the file of the old one.
///
/// Only one write is in progress at a time: two writes of one file would each take the other's text for another
/// process's, and the older text might be written last. The owner reports every event and performs the returned
/// action; a write always writes the token that is in use when it begins.
enum SecretWriting: ~Copyable {
    /// The file holds the token in use. Left when the server replaces it.
    case done
    /// The token is being written, perhaps again; the file is not read meanwhile. Left when the write ends.
    case underWay(after: TokenError?)
    /// As `underWay`, but the server has meanwhile replaced the token that is being written. Left when the write
    /// ends, for another one.
    case outdated(after: TokenError?)
    /// The token could not be written and is in use from memory only. Left by time, by a new token, and by a read of
    /// the file that finds another process's token.
    case failed(TokenError, retryAt: ContinuousClock.Instant)
    /// The server has replaced the token by one that cannot be kept, and the token in use may be spent. Left by a new
    /// token, by a server that accepts the old one again, and by a read of the file that finds another process's
    /// token.
    case lost(TokenError)
    /// As `lost`, while the token that may be spent is being written. Left when the write ends, and by a new token.
    case lostUnderWay(TokenError)

    /// The pause after a failed write.
    static let pause: Duration = .seconds(60)

    /// The error, until it is resolved.
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

    /// When a failed write is repeated; nil if none has to be.
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

    /// Whether only this process may know the refresh token in use.
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

    /// Whether this process may change the file at any moment.
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
        /// Begin to write the token in use.
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
        /// Report this error.
        case report(TokenError)
        /// The error is known already.
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

    /// The server has accepted the refresh token in use and not replaced it.
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

    /// The owner tries a failed write now, because it will stop or forget the token.
    mutating func triedNow() -> BeginAction {
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

    /// Another process has changed the file, whose content is used from now on.
    mutating func fileChanged() {
        switch consume self {
        case .done: self = .done
        case .underWay: preconditionFailure("a file was read while it was being written")
        case .outdated: preconditionFailure("a file was read while it was being written")
        case .failed: self = .done
        case .lost: self = .done
        case .lostUnderWay: preconditionFailure("a file was read while it was being written")
        }
    }

    enum WritingEndedAction: Equatable {
        /// Begin to write the token that is now in use.
        case writeAgain
        /// Report this error.
        case report(TokenError)
        /// Report that the token is in its file after a failed write.
        case reportWritten
        case none
    }

    /// A write ended; without a failure, the file holds the written text or another process's.
    mutating func writingEnded(_ failure: TokenError?, now: ContinuousClock.Instant) -> WritingEndedAction {
        switch consume self {
        case .done: preconditionFailure("a write ended before it began")
        case .underWay(let known):
            guard let failure else {
                self = .done
                return known == nil ? .none : .reportWritten
            }
            self = .failed(failure, retryAt: now + Self.pause)
            return failure == known ? .none : .report(failure)
        case .outdated(let known):
            // The result of the older write no longer matters.
            self = .underWay(after: known)
            return .writeAgain
        case .failed: preconditionFailure("a write ended before it began")
        case .lost: preconditionFailure("a write ended before it began")
        case .lostUnderWay(let error):
            self = .lost(error)
            return .none
        }
    }
}
