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
        pthread_detach(thread)
    }

    /// Waits for the end of the body.
    package func join() throws {
        try finished.wait()
    }
}
