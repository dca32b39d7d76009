// SAFETY: `held` is retained in init. Its value is read on the loop's thread only, and the loop releases it, once.
/// A value confined to the thread of one event loop, in a wrapper that may be passed between threads.
///
/// Only the loop's thread may read the value; any other traps. When the last copy is released, the value is released
/// on the loop, or on the thread of the last copy if the loop has ended.
package struct LoopBound<Value>: Sendable {
    private final class Held {
        let value: Value

        init(_ value: Value) { self.value = value }
    }

    @safe
    private final class Box: @unchecked Sendable {
        let loop: EventLoop
        let held: Unmanaged<Held>

        init(_ value: Value, loop: EventLoop) {
            self.loop = loop
            unsafe held = .passRetained(Held(value))
        }

        deinit { unsafe loop.release(LastReference(held)) }
    }

    private let box: Box

    package init(_ value: Value, loop: EventLoop) { box = Box(value, loop: loop) }

    package var value: Value {
        box.loop.preconditionCurrent()
        return unsafe box.held._withUnsafeGuaranteedRef { $0.value }
    }
}
