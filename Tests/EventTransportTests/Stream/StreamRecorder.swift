import EventTransport

/// Records what a stream tells, and does what a test wants done inside of each call.
final class StreamRecorder: StreamDelegate {
    enum Call: Equatable {
        case received(Int)
        case ended
        case blocked
        case drained
        case failed(TransportError.Kind)
        case deadlinePassed
    }

    private(set) var calls: [Call] = []
    private(set) var bytes: [UInt8] = []
    private(set) var error: TransportError?
    var whenReceived: (Int) -> Void = { _ in }
    var whenEnded: () -> Void = {}
    var whenDrained: () -> Void = {}
    var whenFailed: () -> Void = {}
    var whenDeadlinePassed: () -> Void = {}

    var text: String { String(decoding: bytes, as: UTF8.self) }
    var hasEnded: Bool { calls.contains(.ended) }
    var hasFailed: Bool { error != nil }

    func streamReceived(_ bytes: Span<UInt8>) {
        calls.append(.received(bytes.count))
        bytes.withUnsafeBufferPointer { self.bytes += $0 }
        whenReceived(bytes.count)
    }

    func streamEnded() {
        calls.append(.ended)
        whenEnded()
    }

    func streamBlocked() { calls.append(.blocked) }

    func streamDrained() {
        calls.append(.drained)
        whenDrained()
    }

    func streamFailed(_ error: TransportError) {
        calls.append(.failed(error.kind))
        self.error = error
        whenFailed()
    }

    func streamDeadlinePassed() {
        calls.append(.deadlinePassed)
        whenDeadlinePassed()
    }
}

extension StreamConnection {
    @discardableResult
    func write(_ bytes: [UInt8]) -> WriteResult { write(bytes.span) }

    @discardableResult
    func write(_ text: String) -> WriteResult { write(Array(text.utf8)) }

    /// Starts it with a recorder for a delegate.
    func record() -> StreamRecorder {
        let recorder = StreamRecorder()
        delegate = recorder
        start()
        return recorder
    }
}
