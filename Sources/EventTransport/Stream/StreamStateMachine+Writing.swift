/// The write side of a stream.
extension StreamStateMachine {
    /// What happens to bytes that are written now.
    enum Writing: Equatable {
        case send
        /// The socket has refused earlier bytes.
        case queue
        /// The peer takes no more bytes, or the delegate has ended its side.
        case drop
    }

    var writing: Writing {
        switch self {
        case .open(.free, _): .send
        case .open(.blocked, _): .queue
        case .open(.ending, _): .drop
        case .open(.ended, _): .drop
        case .open(.failed, _): .drop
        case .closed: .drop
        }
    }

    /// Whether the peer takes no more bytes, or the connection is closed.
    var takesNoMore: Bool {
        switch self {
        case .open(.free, _): false
        case .open(.blocked, _): false
        case .open(.ending, _): false
        case .open(.ended, _): false
        case .open(.failed, _): true
        case .closed: true
        }
    }

    /// Whether the delegate waits until the queue is empty.
    var owesDrain: Bool {
        switch self {
        case .open(.free, _): false
        case .open(.blocked, _): true
        case .open(.ending, _): false
        case .open(.ended, _): false
        case .open(.failed(_, let owesDrain), _): owesDrain
        case .closed: false
        }
    }

    /// The socket did not take all bytes; the rest is queued.
    mutating func blocked() {
        switch consume self {
        case .open(.free, let reading): self = .open(.blocked, reading)
        case .open(.blocked, _): preconditionFailure("bytes were sent before queued ones")
        case .open(.ending, _): preconditionFailure("bytes were sent behind the end of the stream")
        case .open(.ended, _): preconditionFailure("bytes were sent behind the end of the stream")
        case .open(.failed, _): preconditionFailure("bytes were sent to a peer that takes no more")
        case .closed: preconditionFailure("bytes were sent on a closed connection")
        }
    }

    enum QueueEmptiedAction: Equatable {
        /// Tell the delegate that it may write again.
        case tell
        /// Send the end.
        case sendEnd
        /// The delegate does not wait, or the connection has closed meanwhile.
        case none
    }

    /// The queued bytes were sent, or were dropped with the write side.
    mutating func queueEmptied() -> QueueEmptiedAction {
        switch consume self {
        case .open(.blocked, let reading):
            self = .open(.free, reading)
            return .tell
        case .open(.failed(let number, let owesDrain), let reading):
            self = .open(.failed(number, owesDrain: false), reading)
            return owesDrain ? .tell : .none
        case .open(.ending, let reading):
            self = .open(.ending, reading)
            return .sendEnd
        case .open(.ended, let reading):
            self = .open(.ended, reading)
            return .none
        case .open(.free, let reading):
            self = .open(.free, reading)
            return .none
        case .closed:
            self = .closed
            return .none
        }
    }

    enum EndRequestedAction: Equatable {
        case sendEnd
        /// The end follows the queued bytes, or the peer takes no more.
        case none
    }

    /// The delegate writes nothing more, and goes on reading.
    mutating func endRequested() -> EndRequestedAction {
        switch consume self {
        case .open(.free, let reading):
            self = .open(.ending, reading)
            return .sendEnd
        case .open(.blocked, let reading):
            self = .open(.ending, reading)
            return .none
        case .open(.failed(let number, let owesDrain), let reading):
            self = .open(.failed(number, owesDrain: owesDrain), reading)
            return .none
        case .open(.ending, _): preconditionFailure("a stream was ended twice")
        case .open(.ended, _): preconditionFailure("a stream was ended twice")
        case .closed: preconditionFailure("a closed stream was ended")
        }
    }

    /// The peer gets the end behind all bytes.
    mutating func endSent() {
        switch consume self {
        case .open(.ending, let reading): self = .open(.ended, reading)
        case .open: preconditionFailure("the end of a stream was sent that nobody had asked for")
        case .closed: preconditionFailure("the end of a closed stream was sent")
        }
    }

    enum WritingFailedAction: Equatable {
        /// Fail after this turn: nothing will be read any more, so nothing else would report the failure.
        case fail
        /// Continue reading after this turn: a delegate that paused may otherwise never learn that its wait is
        /// pointless.
        case resume
        /// Reading reports the failure, after the bytes that the peer still sent.
        case none
    }

    /// The peer takes no more bytes; the queue is dropped.
    mutating func writingFailed(_ number: Int32) -> WritingFailedAction {
        switch consume self {
        case .open(.free, let reading):
            self = .open(.failed(number, owesDrain: false), reading)
            return Self.teller(reading)
        case .open(.blocked, let reading):
            self = .open(.failed(number, owesDrain: true), reading)
            return Self.teller(reading)
        case .open(.ending, let reading):
            self = .open(.failed(number, owesDrain: false), reading)
            return Self.teller(reading)
        case .open(.ended, _): preconditionFailure("bytes were sent behind the end of the stream")
        case .open(.failed, _): preconditionFailure("bytes were sent to a peer that takes no more")
        case .closed: preconditionFailure("bytes were sent on a closed connection")
        }
    }

    private static func teller(_ reading: ReadSide) -> WritingFailedAction {
        switch reading {
        case .ended: .fail
        case .paused: .resume
        case .unstarted(let isPaused): isPaused ? .resume : .none
        case .reading: .none
        }
    }
}
