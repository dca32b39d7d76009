private import CLibevent

/// Images of the process's memory, which hold its secrets and tokens.
package enum CoreDumps {
    /// Forbids core dumps for the rest of the process, and the debuggers of users who are not root; any thread.
    package static func forbid() { attache_forbid_core_dumps() }
}
