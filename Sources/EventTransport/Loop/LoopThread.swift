import CLibevent
import Glibc
import Synchronization

/// A thread that runs one event loop.
///
/// Call `join()` once, after `loop.stop()`, from any thread but the loop's own.
package final class LoopThread: Sendable {
    package let loop: EventLoop
    private let thread: pthread_t

    init(name: String, loop: EventLoop, body: @escaping @Sendable (EventLoop) -> Void) throws(TransportError) {
        self.loop = loop
        var thread = pthread_t()
        // From here on this thread does not own the loop, however late the new thread starts.
        loop.disown()
        let start = ThreadStart(name: name, loop: loop, body: body)
        // SAFETY: the new thread takes over this reference; if no thread starts, it is released here.
        let context = unsafe Unmanaged.passRetained(start)
        let failure = unsafe pthread_create(&thread, nil, runThread, context.toOpaque())
        guard failure == 0 else {
            unsafe context.release()
            throw TransportError(system: failure, "cannot start the thread \(name)")
        }
        self.thread = thread
    }

    /// Waits until the loop has stopped and its thread is gone.
    package func join() {
        _ = pthread_join(thread, nil)
    }
}

extension EventLoop {
    /// Makes a loop on a new thread, calls `body` there, then serves events until `stop()`.
    ///
    /// - Parameters:
    ///   - name: The name in the system's tools, which cut it to 15 bytes.
    ///   - body: Sets up the loop's objects before the first turn.
    /// - Returns: The thread, to be joined after `stop()`.
    /// - Throws: `.system` or `.descriptorLimit` if no loop or thread can be made.
    package static func startThread(
        name: String, _ body: @escaping @Sendable (EventLoop) -> Void
    ) throws(TransportError) -> LoopThread {
        try LoopThread(name: name, loop: EventLoop(), body: body)
    }
}

private final class ThreadStart: Sendable {
    let name: String
    let loop: EventLoop
    let body: @Sendable (EventLoop) -> Void

    init(name: String, loop: EventLoop, body: @escaping @Sendable (EventLoop) -> Void) {
        self.name = String(name.utf8.prefix(15)) ?? ""
        self.loop = loop
        self.body = body
    }
}

// SAFETY: LoopThread.init retained it for this thread.
private func runThread(_ context: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    guard let context = unsafe context else { return nil }
    let start = unsafe Unmanaged<ThreadStart>.fromOpaque(context).takeRetainedValue()
    _ = unsafe attache_thread_set_name(start.name)
    start.loop.adopt()
    start.body(start.loop)
    start.loop.run()
    return nil
}
