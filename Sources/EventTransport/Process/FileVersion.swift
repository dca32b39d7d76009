import Glibc

/// What changes about a file when its content does: also if a link on its path leads to another file, as in a
/// Kubernetes volume.
package enum FileVersion: Equatable, Sendable {
    case missing
    /// `changed` (ctime) reveals a change that keeps `modified` (mtime), as unpacking an archive can.
    case found(modified: Time, changed: Time, size: Int, device: UInt, inode: UInt)

    /// A time since 1970.
    package struct Time: Equatable, Sendable {
        let seconds: Int
        let nanoseconds: Int

        package init(seconds: Int, nanoseconds: Int = 0) { (self.seconds, self.nanoseconds) = (seconds, nanoseconds) }

        fileprivate init(_ time: timespec) { self.init(seconds: time.tv_sec, nanoseconds: time.tv_nsec) }
    }

    /// The version of now; the call may wait for a file system.
    package init(of path: String) {
        var status = stat()
        // SAFETY: the path is lent for the call, which writes one `stat`.
        guard unsafe stat(path, &status) == 0 else {
            self = .missing
            return
        }
        self = .found(
            modified: Time(status.st_mtim), changed: Time(status.st_ctim), size: status.st_size, device: status.st_dev,
            inode: status.st_ino)
    }
}
