import Glibc

/// What an exit test does in its process.
package enum ExitTestBody {
    /// Runs the body so that its failure is shown in full.
    ///
    /// Swift Testing discards what the process prints, which is all that a trap or a thrown error tells. Pass a function:
    /// an expectation inside the macro's own closure is reported at the line of the macro.
    package static func run(_ body: () throws -> Void) rethrows {
        // A second opening of the file that is the parent's standard error; without it nothing more is lost.
        let inherited = open("/proc/\(getppid())/fd/2", O_WRONLY | O_APPEND | O_CLOEXEC)
        if inherited >= 0 {
            dup2(inherited, 2)
            close(inherited)
        }
        try body()
    }
}
