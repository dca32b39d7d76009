// SAFETY: code that names an executor without owning it keeps the loop alive itself, as the runtime demands of every
// executor.
/// Tells the concurrency runtime which code may run on the loop.
extension EventLoop {
    @usableFromInline package func checkIsolated() { preconditionCurrent() }

    @usableFromInline package func isIsolatingCurrentContext() -> Bool? { isCurrent }

    @usableFromInline package func asUnownedSerialExecutor() -> UnownedSerialExecutor {
        unsafe UnownedSerialExecutor(ordinary: self)
    }

    @usableFromInline package func asUnownedTaskExecutor() -> UnownedTaskExecutor {
        unsafe UnownedTaskExecutor(ordinary: self)
    }
}
