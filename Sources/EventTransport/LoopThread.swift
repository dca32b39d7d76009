package final class LoopThread: Sendable {
    package let loop: EventLoop
    init(loop: EventLoop) { self.loop = loop }
    package func join() { fatalError("stub") }
}
