import Glibc

/// A thread of its own for a body that blocks, so that no thread of the test runner's pool is taken by it.
package final class BackgroundThread: Sendable {
    private final class Body: Sendable {
        let run: @Sendable () -> Void

        init(_ run: @escaping @Sendable () -> Void) {
            self.run = run
        }
    }

    private let finished: Gate
    /// Nil once it is joined.
    private let thread: Monitor<pthread_t?>

    package init(_ name: String, _ run: @escaping @Sendable () -> Void) {
        let finished = Gate("the thread \(name) ends")
        self.finished = finished
        let body = Body {
            run()
            finished.open()
        }
        var thread = pthread_t()
        let result = pthread_create(
            &thread, nil,
            { context in
                if let context { Unmanaged<Body>.fromOpaque(context).takeRetainedValue().run() }
                return nil
            }, Unmanaged.passRetained(body).toOpaque())
        precondition(result == 0, "a test's thread could not be started: \(result)")
        self.thread = Monitor(thread)
    }

    deinit {
        if let thread = thread.access({ $0 }) { pthread_detach(thread) }
    }

    /// Waits for the end of the thread, and of all that it releases on its way out: a process that exits meanwhile takes
    /// OpenSSL away from under it.
    package func join() throws {
        try finished.wait()
        thread.access { thread in
            if let running = thread { pthread_join(running, nil) }
            thread = nil
        }
    }
}
