import CLibevent
import Glibc

/// The process at the other end of a Unix socket, as it was when it connected (SO_PEERCRED of unix(7)).
///
/// The process may have ended since, or have handed the connection to another one.
package struct LocalPeer: Equatable, Sendable {
    package let user: UInt32
    package let group: UInt32

    /// Nil for a socket that is no Unix socket.
    package init?(of socket: borrowing Socket) {
        var (user, group, process): (uid_t, gid_t, pid_t) = (0, 0, 0)
        // SAFETY: the numbers are lent for the call.
        guard unsafe attache_unix_peer(socket.descriptor, &user, &group, &process) else { return nil }
        self.user = user
        self.group = group
    }
}
