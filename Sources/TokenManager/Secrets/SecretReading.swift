/// Whether a credential's secrets or value are being read, which may take as long as a file system hangs.
///
/// There is one reading at a time. The owner reports every event and performs what is returned.
package enum SecretReading: ~Copyable {
    /// Nothing is being read. Left by `begin`.
    case idle
    /// The places are being read, and callers may wait for the end. Left when it ends, by time, and by our own writing.
    case underWay
    /// As `underWay`, but we began to write the file meanwhile, so what is read may be the old content. Left when it ends,
    /// and by time.
    case outdated
    /// It has taken too long, and that was reported. Left when it ends.
    case stalled

    /// Whether what is being read will be used soon, so that callers may wait for it.
    package var isAwaited: Bool {
        switch self {
        case .idle: false
        case .underWay: true
        case .outdated: false
        case .stalled: false
        }
    }

    package enum BeginAction: Equatable {
        /// Read.
        case read
        /// A reading is under way.
        case none
    }

    /// Somebody wants the places to be read.
    package mutating func begin() -> BeginAction {
        switch consume self {
        case .idle:
            self = .underWay
            return .read
        case .underWay:
            self = .underWay
            return .none
        case .outdated:
            self = .outdated
            return .none
        case .stalled:
            self = .stalled
            return .none
        }
    }

    /// We began to write one of the files.
    package mutating func writingBegan() {
        switch consume self {
        case .idle: self = .idle
        case .underWay: self = .outdated
        case .outdated: self = .outdated
        case .stalled: self = .stalled
        }
    }

    package enum TimedOutAction: Equatable {
        /// Tell what hangs, and let nobody wait for it.
        case report
        case none
    }

    /// The reading has taken too long.
    package mutating func timedOut() -> TimedOutAction {
        switch consume self {
        case .idle:
            self = .idle
            return .none
        case .underWay:
            self = .stalled
            return .report
        case .outdated:
            self = .stalled
            return .report
        case .stalled:
            self = .stalled
            return .none
        }
    }

    package enum EndedAction: Equatable {
        /// Act on what was read.
        case use
        /// Forget what was read: the next reading tells.
        case none
    }

    /// The reading came to its end.
    package mutating func ended() -> EndedAction {
        switch consume self {
        case .idle: preconditionFailure("a reading ended that was never begun")
        case .underWay:
            self = .idle
            return .use
        case .outdated:
            self = .idle
            return .none
        case .stalled:
            self = .idle
            return .none
        }
    }
}
