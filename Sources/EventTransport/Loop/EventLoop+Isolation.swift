// SAFETY: whoever names an executor without owning it keeps the loop himself, as the runtime asks of every executor.
/// Lets the concurrency runtime ask the loop which code may run where.
extension EventLoop {
    package func checkIsolated() { preconditionCurrent() }

    package func isIsolatingCurrentContext() -> Bool? { isCurrent }

    package func asUnownedSerialExecutor() -> UnownedSerialExecutor {
        unsafe UnownedSerialExecutor(ordinary: self)
    }

    package func asUnownedTaskExecutor() -> UnownedTaskExecutor {
        unsafe UnownedTaskExecutor(ordinary: self)
    }
}
