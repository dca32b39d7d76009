package final class EventLoop: SerialExecutor, TaskExecutor, @unchecked Sendable {
    package init() throws(TransportError) { fatalError("stub") }
    package func run() { fatalError("stub") }
    package func stop() { fatalError("stub") }
    package func execute(_ work: @escaping @Sendable () -> Void) { fatalError("stub") }
    package func enqueue(_ job: consuming ExecutorJob) { fatalError("stub") }
    package var isCurrent: Bool { fatalError("stub") }
    package func preconditionCurrent() { fatalError("stub") }
    package func checkIsolated() { fatalError("stub") }
    package var now: ContinuousClock.Instant { fatalError("stub") }
    package static func startThread(
        name: String, _ body: @escaping @Sendable (EventLoop) -> Void
    ) throws(TransportError) -> LoopThread { fatalError("stub") }
    package func sleep(until instant: ContinuousClock.Instant) async throws { fatalError("stub") }
}
