/// A stream: what may be read and written, and which side reports a failure to the delegate.
///
/// A failure is an errno, or 0 if the TLS session knows more.
enum StreamStateMachine: ~Copyable {
    /// Left by `closed`.
    // The larger side first: in the other order it takes 9 bytes, and each connection has one.
    case open(WriteSide, ReadSide)
    /// Final.
    case closed

    enum ReadSide: Equatable {
        /// Left by `started`, as reading or paused.
        case unstarted(isPaused: Bool)
        /// Bytes are being read; after a read that filled its buffer, the kernel may hold more. Left by
        /// `pauseRequested` and `peerEnded`.
        case reading(mayHoldMore: Bool)
        /// The peer's bytes stay in the kernel. Left by `resumeRequested`.
        case paused
        /// The delegate knows the peer's orderly end. Final.
        case ended
    }

    enum WriteSide: Equatable {
        /// Nothing is queued. Left by `blocked`, `endRequested` and `writingFailed`.
        case free
        /// The socket refused bytes, and the delegate waits until they are sent. Left by `queueEmptied`,
        /// `endRequested` and `writingFailed`.
        case blocked
        /// The end follows the queued bytes. Left by `endSent` and `writingFailed`.
        case ending
        /// The end was sent. Final.
        case ended
        /// The peer takes no more bytes; the delegate may still wait for the queue that was dropped. Final.
        case failed(Int32, owesDrain: Bool)
    }

    enum StartedAction: Equatable {
        case read
        /// Reading was paused before.
        case none
    }

    mutating func started() -> StartedAction {
        switch consume self {
        case .open(let writing, .unstarted(let isPaused)):
            self = .open(writing, isPaused ? .paused : .reading(mayHoldMore: false))
            return isPaused ? .none : .read
        case .open: preconditionFailure("a connection was started twice")
        case .closed: preconditionFailure("a closed connection was started")
        }
    }

    enum PauseAction: Equatable {
        case stopReading
        /// Nothing is being read, or the failure of the write side is yet to be read.
        case none
    }

    /// The delegate wants no more bytes for now.
    mutating func pauseRequested() -> PauseAction {
        switch consume self {
        // A peer that takes no more bytes has little left to send, and only reading shows that it is gone.
        case .open(.failed(let number, let owesDrain), let reading):
            self = .open(.failed(number, owesDrain: owesDrain), reading)
            return .none
        case .open(let writing, .reading):
            self = .open(writing, .paused)
            return .stopReading
        case .open(let writing, .unstarted):
            self = .open(writing, .unstarted(isPaused: true))
            return .none
        case .open(let writing, let reading):
            self = .open(writing, reading)
            return .none
        case .closed:
            self = .closed
            return .none
        }
    }

    enum ResumeAction: Equatable {
        case read
        /// Reading continues as before, has not begun, or is over.
        case none
    }

    /// The delegate wants to receive.
    mutating func resumeRequested() -> ResumeAction {
        switch consume self {
        case .open(let writing, .paused):
            self = .open(writing, .reading(mayHoldMore: true))
            return .read
        case .open(let writing, .unstarted):
            self = .open(writing, .unstarted(isPaused: false))
            return .none
        case .open(let writing, let reading):
            self = .open(writing, reading)
            return .none
        case .closed:
            self = .closed
            return .none
        }
    }

    /// A read brought bytes, and perhaps more are ready.
    mutating func bytesReceived(mayHoldMore: Bool) {
        switch consume self {
        case .open(let writing, .reading): self = .open(writing, .reading(mayHoldMore: mayHoldMore))
        case .open: preconditionFailure("bytes were received while nothing was being read")
        case .closed: preconditionFailure("bytes were received from a closed connection")
        }
    }

    enum PeerEndedAction: Equatable {
        case tell
        /// Report the end and then the failure: nothing else would report it to a delegate that still writes.
        case tellAndFail(Int32)
        /// The received bytes may be incomplete: this end hides the reset that a write met.
        case fail(Int32)
    }

    /// A read brought the peer's orderly end; `brokenPipe` is the errno of a write after such an end.
    mutating func peerEnded(brokenPipe: Int32) -> PeerEndedAction {
        switch consume self {
        case .open(.failed(let number, let owesDrain), .reading(let mayHoldMore)):
            let isOrderly = number == brokenPipe
            self = .open(.failed(number, owesDrain: owesDrain), isOrderly ? .ended : .reading(mayHoldMore: mayHoldMore))
            return isOrderly ? .tellAndFail(number) : .fail(number)
        case .open(let writing, .reading):
            self = .open(writing, .ended)
            return .tell
        case .open: preconditionFailure("the peer's end was received while nothing was being read")
        case .closed: preconditionFailure("the peer's end was received from a closed connection")
        }
    }

    enum ClosedAction: Equatable {
        /// Release the reference that keeps a started connection alive.
        case release
        /// The connection was never started.
        case none
    }

    mutating func closed() -> ClosedAction {
        switch consume self {
        case .open(_, .unstarted):
            self = .closed
            return .none
        case .open:
            self = .closed
            return .release
        case .closed: preconditionFailure("a connection was closed twice")
        }
    }

    var isClosed: Bool {
        switch self {
        case .open: false
        case .closed: true
        }
    }

    var isReading: Bool {
        switch self {
        case .open(_, .reading): true
        case .open: false
        case .closed: false
        }
    }

    /// Whether the kernel may hold bytes of the peer, or its end, that the delegate has not got.
    var mayHoldMore: Bool {
        switch self {
        case .open(_, .reading(let mayHoldMore)): mayHoldMore
        case .open(_, .paused): true
        case .open(_, .unstarted(let isPaused)): isPaused
        case .open(_, .ended): false
        case .closed: false
        }
    }
}
