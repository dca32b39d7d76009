private import CLibevent

/// Images of the process's memory, which hold its secrets and tokens.
package enum CoreDumps {
    /// Forbids core dumps and, for users other than root, debuggers for the rest of the process; any thread.
    package static func forbid() { attache_forbid_core_dumps() }
}
