import Glibc
import Support

/// Has others who open a file wait, as a file system that hangs does: a lease (`fcntl(2)`), until `end` or for the 45 s of
/// `/proc/sys/fs/lease-break-time`.
final class FileLease {
    private static let setLease: Int32 = 1024
    private var descriptor: Int32

    /// - Throws: If the file system has no leases.
    init(_ path: String) throws {
        // The kernel announces each one who waits, which would end the process.
        signal(SIGIO, SIG_IGN)
        descriptor = open(path, O_RDWR | O_CLOEXEC)
        guard descriptor >= 0, fcntl(descriptor, Self.setLease, Int32(F_WRLCK)) == 0 else {
            throw SocketError("lease", errno)
        }
    }

    deinit { end() }

    func end() {
        guard descriptor >= 0 else { return }
        close(descriptor)
        descriptor = -1
    }
}
