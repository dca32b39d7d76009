import Glibc

/// Finds out whether a body traps, in a copy of this process.
///
/// Only for the body of an exit test. A copy has but one thread, so a lock that another thread held would never be free.
package enum Trap {
    /// What the process printed when the body trapped; nil if it did not.
    ///
    /// A copy takes a thousandth of the time that another exit test would take, so a table of traps can be gone through.
    package static func text(of body: () -> Void) -> String? {
        var ends: [Int32] = [0, 0]
        guard pipe(&ends) == 0 else { preconditionFailure("no pipe can be made: \(errno)") }
        let child = fork()
        guard child != 0 else {
            dup2(ends[1], 2)
            // Neither a sanitizer nor the runtime's own report of a crash is wanted.
            for number in signals { signal(number, SIG_DFL) }
            var noFile = rlimit(rlim_cur: 0, rlim_max: 0)
            setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &noFile)
            alarm(60)
            body()
            _exit(0)
        }
        close(ends[1])
        let text = String(decoding: readAll(ends[0]), as: UTF8.self)
        close(ends[0])
        var status: Int32 = 0
        while waitpid(child, &status, 0) < 0 && errno == EINTR {}
        return signals.contains(status & 0x7F) ? text : nil
    }

    private static let signals = [SIGILL, SIGTRAP]

    private static func readAll(_ descriptor: Int32) -> [UInt8] {
        var all: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4096)
        while true {
            let count = read(descriptor, &buffer, buffer.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return all }
            all += buffer[..<count]
        }
    }

    /// Swift hides it, as code after it must not count on other threads; the bodies of the traps are pure.
    private static let fork: @convention(c) () -> Int32 = {
        guard let symbol = dlsym(nil, "fork") else { preconditionFailure("the C library has no fork") }
        return unsafeBitCast(symbol, to: (@convention(c) () -> Int32).self)
    }()
}
