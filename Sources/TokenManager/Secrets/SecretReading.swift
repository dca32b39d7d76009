/// Whether a credential's secrets or value are being read, which takes as long as a file system hangs.
///
/// Only one read is in progress at a time. The owner reports every event and performs the returned action.
package enum SecretReading: ~Copyable {
    /// Nothing is being read. Left by `begin`.
    case idle
    /// The places are being read, this one now, and callers may wait for the end. Left when the read ends, by time,
    /// and when this process writes a file.
    case underWay(Secret?)
    /// As `underWay`, but this process began to write the file meanwhile, so the read may bring the old content. Left
    /// when the read ends, and by time.
    case outdated(Secret?)
    /// The read has taken too long, and that was reported. Left when it ends.
    case stalled

    /// Whether the result will be used soon, so that callers may wait for it.
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
        /// A read is in progress.
        case none
    }

    /// The places should be read.
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

    /// The read has come to this place.
    package mutating func reached(_ place: Secret) {
        switch consume self {
        case .idle: preconditionFailure("a place was reported outside a read")
        case .underWay: self = .underWay(place)
        case .outdated: self = .outdated(place)
        case .stalled: self = .stalled
        }
    }

    /// This process began to write one of the files.
    package mutating func writingBegan() {
        switch consume self {
        case .idle: self = .idle
        case .underWay(let place): self = .outdated(place)
        case .outdated(let place): self = .outdated(place)
        case .stalled: self = .stalled
        }
    }

    package enum TimedOutAction: Equatable {
        /// Report which place hangs, and let no caller wait for it.
        case report(Secret?)
        case none
    }

    /// The read has taken too long.
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
        /// Use the result.
        case use
        /// Discard the result: the next read counts.
        case none
    }

    /// The read ended.
    package mutating func ended() -> EndedAction {
        switch consume self {
        case .idle: preconditionFailure("a read ended before it began")
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
