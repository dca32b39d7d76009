/// Whether a credential's secrets or value are being read, which may take as long as a file system hangs.
///
/// There is one reading at a time. The owner reports every event and performs what is returned.
package enum SecretReading: ~Copyable {
    /// Nothing is being read. Left by `begin`.
    case idle
    /// The places are being read, this one now, and callers may wait for the end. Left when it ends, by time, and by our own
    /// writing.
    case underWay(Secret?)
    /// As `underWay`, but we began to write the file meanwhile, so what is read may be the old content. Left when it ends,
    /// and by time.
    case outdated(Secret?)
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
            self = .underWay(nil)
            return .read
        case .underWay(let place):
            self = .underWay(place)
            return .none
        case .outdated(let place):
            self = .outdated(place)
            return .none
        case .stalled:
            self = .stalled
            return .none
        }
    }

    /// The reading has come to this place.
    package mutating func reached(_ place: Secret) {
        switch consume self {
        case .idle: preconditionFailure("a place was read without a reading")
        case .underWay: self = .underWay(place)
        case .outdated: self = .outdated(place)
        case .stalled: self = .stalled
        }
    }

    /// We began to write one of the files.
    package mutating func writingBegan() {
        switch consume self {
        case .idle: self = .idle
        case .underWay(let place): self = .outdated(place)
        case .outdated(let place): self = .outdated(place)
        case .stalled: self = .stalled
        }
    }

    package enum TimedOutAction: Equatable {
        /// Tell which place hangs, and let nobody wait for it.
        case report(Secret?)
        case none
    }

    /// The reading has taken too long.
    package mutating func timedOut() -> TimedOutAction {
        switch consume self {
        case .idle:
            self = .idle
            return .none
        case .underWay(let place):
            self = .stalled
            return .report(place)
        case .outdated(let place):
            self = .stalled
            return .report(place)
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
