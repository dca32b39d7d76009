import Glibc

/// What the process does about signals.
package enum Signals {
    /// Lets a write to a closed connection fail with EPIPE instead of ending the process; OpenSSL writes plainly.
    ///
    /// The same for a file that has reached the largest size allowed: a log that is full ends no process.
    package static func ignoreFailedWrites() {
        _ = signal(SIGPIPE, SIG_IGN)
        _ = signal(SIGXFSZ, SIG_IGN)
    }

    /// The same for writes of the calling thread alone, where the process is not ours to decide for.
    package static func blockFailedWrites() {
        // SAFETY: the set is this function's own, lent for the calls.
        unsafe withUnsafeTemporaryAllocation(of: sigset_t.self, capacity: 1) { set in
            guard let set = set.baseAddress else { return }
            unsafe sigemptyset(set)
            unsafe sigaddset(set, SIGPIPE)
            _ = unsafe pthread_sigmask(SIG_BLOCK, set, nil)
        }
    }
}
