import Glibc

/// What changes about a file when its content does: also if a link on its path leads to another file, as in a
/// Kubernetes volume.
package enum FileVersion: Equatable, Sendable {
    case missing
    case found(seconds: Int, nanoseconds: Int, size: Int, device: UInt, inode: UInt)

    /// The version of now; the call may wait for a file system.
    package init(of path: String) {
        var status = stat()
        // SAFETY: the path is lent for the call, which writes one `stat`.
        guard unsafe stat(path, &status) == 0 else {
            self = .missing
            return
        }
        self = .found(
            seconds: status.st_mtim.tv_sec, nanoseconds: status.st_mtim.tv_nsec, size: status.st_size,
            device: status.st_dev, inode: status.st_ino)
    }
}
