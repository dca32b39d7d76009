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
        case .open(_, .free): .send
        case .open(_, .blocked): .queue
        case .open(_, .ending): .drop
        case .open(_, .ended): .drop
        case .open(_, .failed): .drop
        case .closed: .drop
        }
    }

    /// Whether the peer takes no more bytes, or the connection is closed.
    var takesNoMore: Bool {
        switch self {
        case .open(_, .free): false
        case .open(_, .blocked): false
        case .open(_, .ending): false
        case .open(_, .ended): false
        case .open(_, .failed): true
        case .closed: true
        }
    }

    /// Whether the delegate waits until the queue is empty.
    var owesDrain: Bool {
        switch self {
        case .open(_, .free): false
        case .open(_, .blocked): true
        case .open(_, .ending): false
        case .open(_, .ended): false
        case .open(_, .failed(_, let owesDrain)): owesDrain
        case .closed: false
        }
    }

    /// The socket did not take all bytes; the rest is queued.
    mutating func blocked() {
        switch consume self {
        case .open(let reading, .free): self = .open(reading, .blocked)
        case .open(_, .blocked): preconditionFailure("bytes were sent before queued ones")
        case .open(_, .ending): preconditionFailure("bytes were sent behind the end of the stream")
        case .open(_, .ended): preconditionFailure("bytes were sent behind the end of the stream")
        case .open(_, .failed): preconditionFailure("bytes were sent to a peer that takes no more")
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
        case .open(let reading, .blocked):
            self = .open(reading, .free)
            return .tell
        case .open(let reading, .failed(let number, let owesDrain)):
            self = .open(reading, .failed(number, owesDrain: false))
            return owesDrain ? .tell : .none
        case .open(let reading, .ending):
            self = .open(reading, .ending)
            return .sendEnd
        case .open(let reading, .ended):
            self = .open(reading, .ended)
            return .none
        case .open(let reading, .free):
            self = .open(reading, .free)
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
        case .open(let reading, .free):
            self = .open(reading, .ending)
            return .sendEnd
        case .open(let reading, .blocked):
            self = .open(reading, .ending)
            return .none
        case .open(let reading, .failed(let number, let owesDrain)):
            self = .open(reading, .failed(number, owesDrain: owesDrain))
            return .none
        case .open(_, .ending): preconditionFailure("a stream was ended twice")
        case .open(_, .ended): preconditionFailure("a stream was ended twice")
        case .closed: preconditionFailure("a closed stream was ended")
        }
    }

    /// The peer gets the end behind all bytes.
    mutating func endSent() {
        switch consume self {
        case .open(let reading, .ending): self = .open(reading, .ended)
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
        case .open(let reading, .free):
            self = .open(reading, .failed(number, owesDrain: false))
            return Self.teller(reading)
        case .open(let reading, .blocked):
            self = .open(reading, .failed(number, owesDrain: true))
            return Self.teller(reading)
        case .open(let reading, .ending):
            self = .open(reading, .failed(number, owesDrain: false))
            return Self.teller(reading)
        case .open(_, .ended): preconditionFailure("bytes were sent behind the end of the stream")
        case .open(_, .failed): preconditionFailure("bytes were sent to a peer that takes no more")
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
