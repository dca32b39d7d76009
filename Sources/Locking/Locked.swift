private import Glibc

// SAFETY: the mutex is initialized at an address that does not move, and lives as long as self.
/// A system mutex at a stable address.
@safe
@usableFromInline
struct SystemMutex: ~Copyable {
    private let mutex: UnsafeMutablePointer<pthread_mutex_t>

    @usableFromInline
    init() {
        unsafe mutex = .allocate(capacity: 1)
        unsafe pthread_mutex_init(mutex, nil)
    }

    deinit {
        unsafe pthread_mutex_destroy(mutex)
        unsafe mutex.deallocate()
    }

    @usableFromInline
    func lock() { unsafe pthread_mutex_lock(mutex) }

    @usableFromInline
    func unlock() { unsafe pthread_mutex_unlock(mutex) }
}

// SAFETY: `value` is used by init, by deinit, and while the mutex is locked.
/// A value behind a system mutex.
///
/// Any thread may use it. It replaces the standard library's `Mutex`, which the thread sanitizer does not know: it
/// reports a race at each use of one.
@usableFromInline
package final class Locked<Value>: @unchecked Sendable {
    @usableFromInline let mutex = SystemMutex()
    @usableFromInline var value: Value

    /// Creates a value that no thread has locked.
    @inlinable
    package init(_ value: sending Value) { self.value = value }

    /// Runs `body` while no other thread runs one; `body` must not call this function again.
    @inlinable
    package func withLock<Result>(_ body: (inout Value) -> Result) -> Result {
        mutex.lock()
        defer { mutex.unlock() }
        return body(&value)
    }
}
