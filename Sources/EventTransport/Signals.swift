import Glibc

/// What the whole process does about signals.
package enum Signals {
    /// Lets a write to a closed connection fail with EPIPE instead of ending the process; OpenSSL writes plainly.
    package static func ignoreBrokenPipe() {
        _ = signal(SIGPIPE, SIG_IGN)
    }
}
