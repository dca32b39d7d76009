/// A value confined to the thread of one event loop, wrapped so that it may travel between threads.
///
/// Only the loop's thread may look inside; any other traps.
package struct LoopBound<Value>: @unchecked Sendable {
    private let loop: EventLoop
    private let bound: Value

    package init(_ value: Value, loop: EventLoop) {
        bound = value
        self.loop = loop
    }

    package var value: Value {
        loop.preconditionCurrent()
        return bound
    }
}
