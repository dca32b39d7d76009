private import Glibc

// SAFETY: the mutex is initialized at an address that does not move, lives as long as self, and guards `value`.
/// A value behind a mutex of the system.
///
/// Any thread. The standard library's `Mutex` would do as well, but the thread sanitizer cannot see it and takes
/// every use for a race.
@safe
final class Locked<Value>: @unchecked Sendable {
    private let mutex: UnsafeMutablePointer<pthread_mutex_t>
    private var value: Value

    init(_ value: sending Value) {
        self.value = value
        unsafe mutex = .allocate(capacity: 1)
        unsafe pthread_mutex_init(mutex, nil)
    }

    deinit {
        unsafe pthread_mutex_destroy(mutex)
        unsafe mutex.deallocate()
    }

    /// Runs `body` while no other thread is in here; it must not come here again.
    func withLock<Result>(_ body: (inout Value) -> Result) -> Result {
        unsafe pthread_mutex_lock(mutex)
        defer { unsafe pthread_mutex_unlock(mutex) }
        return body(&value)
    }
}
