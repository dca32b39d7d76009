import Glibc

/// How the process handles signals.
package enum Signals {
    /// Makes a write to a closed connection fail with EPIPE instead of ending the process; OpenSSL writes without
    /// MSG_NOSIGNAL.
    ///
    /// The same holds for a file that has reached its size limit: a full log does not end the process.
    package static func ignoreFailedWrites() {
        _ = signal(SIGPIPE, SIG_IGN)
        _ = signal(SIGXFSZ, SIG_IGN)
    }

    /// Does the same for writes of the calling thread alone, in a process that belongs to other code.
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
