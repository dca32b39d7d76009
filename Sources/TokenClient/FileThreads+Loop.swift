package import EventTransport
package import Signing

extension FileThreads {
    /// Runs a call that may block for as long as a file system hangs, and passes its result to `done` on a loop.
    package func submit<Value: Sendable>(
        _ call: @escaping @Sendable () -> Value, for loop: EventLoop, _ done: @escaping (Value) -> Void
    ) {
        let done = LoopBound(done, loop: loop)
        submit {
            let value = call()
            loop.execute { done.value(value) }
        }
    }
}
