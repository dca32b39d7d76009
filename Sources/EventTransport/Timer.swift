package final class Timer {
    package init(loop: EventLoop, _ fire: @escaping () -> Void) { fatalError("stub") }
    package func schedule(after delay: Duration) { fatalError("stub") }
    package func schedule(at instant: ContinuousClock.Instant) { fatalError("stub") }
    package func cancel() { fatalError("stub") }
}
