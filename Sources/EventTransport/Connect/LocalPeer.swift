import CLibevent
import Glibc

/// The process at the other end of a Unix socket, as it was when it connected (SO_PEERCRED of unix(7)).
///
/// The process may have ended since, or have handed the connection to another one.
package struct LocalPeer: Equatable, Sendable {
    package let user: UInt32
    package let group: UInt32
    /// The supplementary groups, as far as they were asked for and the system tells them (SO_PEERGROUPS, Linux 4.13).
    package private(set) var otherGroups: [UInt32] = []

    package init(user: UInt32, group: UInt32, otherGroups: [UInt32] = []) {
        self.user = user
        self.group = group
        self.otherGroups = otherGroups
    }

    /// As `init(of:)`, with the supplementary groups.
    package init?(withGroupsOf socket: borrowing Socket) {
        self.init(of: socket)
        otherGroups = Self.groups(of: socket)
    }

    /// Nil for a socket that is no Unix socket.
    package init?(of socket: borrowing Socket) {
        var (user, group, process): (uid_t, gid_t, pid_t) = (0, 0, 0)
        // SAFETY: the numbers are lent for the call.
        guard unsafe attache_unix_peer(socket.descriptor, &user, &group, &process) else { return nil }
        self.user = user
        self.group = group
    }

    /// Empty if the system does not tell them.
    private static func groups(of socket: borrowing Socket) -> [UInt32] {
        var count = 64
        // As many as a process may have (NGROUPS_MAX).
        while count <= 65_536 {
            var groups = [gid_t](repeating: 0, count: count)
            let room = count
            // SAFETY: array and count are lent for the call, which writes at most `count` groups.
            if unsafe attache_unix_peer_groups(socket.descriptor, &groups, &count) {
                return Array(groups.prefix(count))
            }
            guard errno == ERANGE, count > room else { return [] }
        }
        return []
    }
}
