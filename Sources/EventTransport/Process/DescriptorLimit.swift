private import CLibevent
import Glibc

/// How many descriptors the process may have open (RLIMIT_NOFILE), and how many it has; any thread.
package enum DescriptorLimit {
    /// The soft limit; every open descriptor has a number below it.
    package static var current: Int {
        var limit = rlimit()
        // SAFETY: the structure is lent for the call.
        guard unsafe getrlimit(resource, &limit) == 0 else { return .max }
        return Int(clamping: limit.rlim_cur)
    }

    /// Raises the soft limit to the hard limit.
    ///
    /// The low default of many systems is for programs that call select(2), which this program does not.
    package static func raise() {
        var limit = rlimit()
        // SAFETY: the structure is lent for the calls.
        guard unsafe getrlimit(resource, &limit) == 0, limit.rlim_cur < limit.rlim_max else { return }
        limit.rlim_cur = limit.rlim_max
        unsafe _ = setrlimit(resource, &limit)
    }

    /// How many descriptors are open; nil if `/proc` cannot be read.
    package static var openCount: Int? {
        // SAFETY: the directory is read and closed here, and each entry is only counted.
        guard let directory = unsafe opendir("/proc/thread-self/fd") else { return nil }
        defer { unsafe _ = closedir(directory) }
        var count = 0
        while unsafe readdir(directory) != nil { count += 1 }
        // Not counted: the entries `.` and `..`, and the directory's own descriptor.
        return count - 3
    }

    /// The number that a copy of an open descriptor would get; the limit if none is left.
    ///
    /// At least this many descriptors are open.
    static func lowestFree(copying descriptor: Int32) -> Int {
        let probe = fcntl(descriptor, F_DUPFD_CLOEXEC, 0)
        guard probe >= 0 else { return current }
        close(probe)
        return Int(probe)
    }

    private static let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
}

/// Images of the process's memory, which hold its secrets and tokens.
package enum CoreDumps {
    /// Forbids core dumps and, for users other than root, debuggers for the rest of the process; any thread.
    package static func forbid() { attache_forbid_core_dumps() }
}
