import Glibc

/// State behind a lock, and threads that wait until it satisfies a condition.
///
/// May be used from any thread. Every access wakes the waiting threads, which look at the state anew.
package final class Monitor<State>: @unchecked Sendable {
    private let mutex: UnsafeMutablePointer<pthread_mutex_t>
    private let changed: UnsafeMutablePointer<pthread_cond_t>
    private var state: State

    package init(_ state: sending State) {
        self.state = state
        mutex = .allocate(capacity: 1)
        changed = .allocate(capacity: 1)
        pthread_mutex_init(mutex, nil)
        var attributes = pthread_condattr_t()
        pthread_condattr_init(&attributes)
        pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
        pthread_cond_init(changed, &attributes)
        pthread_condattr_destroy(&attributes)
    }

    deinit {
        pthread_cond_destroy(changed)
        pthread_mutex_destroy(mutex)
        changed.deallocate()
        mutex.deallocate()
    }

    package func access<Result>(_ body: (inout State) throws -> Result) rethrows -> Result {
        pthread_mutex_lock(mutex)
        defer {
            pthread_cond_broadcast(changed)
            pthread_mutex_unlock(mutex)
        }
        return try body(&state)
    }

    /// Waits until `condition` gives a value, and returns it; `what` names the wait in the error.
    package func wait<Result>(
        _ what: String, for limit: Duration = Patience.limit, until condition: (inout State) throws -> Result?
    ) throws -> Result {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        var deadline = timespec()
        clock_gettime(CLOCK_MONOTONIC, &deadline)
        deadline.tv_sec += Int(limit.components.seconds)
        while true {
            if let result = try condition(&state) { return result }
            guard pthread_cond_timedwait(changed, mutex, &deadline) != ETIMEDOUT else {
                throw PatienceExhausted(what, after: limit)
            }
        }
    }
}
