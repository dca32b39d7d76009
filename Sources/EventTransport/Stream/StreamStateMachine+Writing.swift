/// The write side of a stream.
extension StreamStateMachine {
    /// What happens to bytes that are written now.
    enum Writing: Equatable {
        case send
        /// The socket has refused earlier bytes.
        case queue
        /// The peer takes no more bytes.
        case drop
    }

    var writing: Writing {
        switch self {
        case .open(_, .free): .send
        case .open(_, .blocked): .queue
        case .open(_, .failed): .drop
        case .closed: .drop
        }
    }

    /// Whether the delegate waits until the queue is empty.
    var owesDrain: Bool {
        switch self {
        case .open(_, .free): false
        case .open(_, .blocked): true
        case .open(_, .failed(_, let owesDrain)): owesDrain
        case .closed: false
        }
    }

    /// The socket did not take all bytes; the rest is queued.
    mutating func blocked() {
        switch consume self {
        case .open(let reading, .free): self = .open(reading, .blocked)
        case .open(_, .blocked): preconditionFailure("bytes were sent before queued ones")
        case .open(_, .failed): preconditionFailure("bytes were sent to a peer that takes no more")
        case .closed: preconditionFailure("bytes were sent on a closed connection")
        }
    }

    enum QueueEmptiedAction: Equatable {
        /// Tell the delegate that it may write again.
        case tell
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
        case .open(let reading, .free):
            self = .open(reading, .free)
            return .none
        case .closed:
            self = .closed
            return .none
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
