import Glibc

/// What the whole process does about signals.
package enum Signals {
    /// Lets a write to a closed connection fail with EPIPE instead of ending the process; OpenSSL writes plainly.
    ///
    /// The same for a file that has reached the largest size allowed: a log that is full ends no process.
    package static func ignoreFailedWrites() {
        _ = signal(SIGPIPE, SIG_IGN)
        _ = signal(SIGXFSZ, SIG_IGN)
    }
}
