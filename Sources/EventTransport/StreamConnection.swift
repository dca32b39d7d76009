package final class StreamConnection {
    package init(_ socket: consuming Socket, loop: EventLoop) { fatalError("stub") }
    package var delegate: (any StreamDelegate)?
    package func start() { fatalError("stub") }
    @discardableResult
    package func write(_ bytes: Span<UInt8>) -> WriteResult { fatalError("stub") }
    @discardableResult
    package func write(_ first: Span<UInt8>, _ second: Span<UInt8>) -> WriteResult { fatalError("stub") }
    package var queuedByteCount: Int { fatalError("stub") }
    package func pauseReading() { fatalError("stub") }
    package func resumeReading() { fatalError("stub") }
    package func endWriting() { fatalError("stub") }
    package func close() { fatalError("stub") }
    package func closeAfterResponse() { fatalError("stub") }
    package func abort() { fatalError("stub") }
    package var deadline: ContinuousClock.Instant?
    package var peer: SocketAddress? { fatalError("stub") }
}
