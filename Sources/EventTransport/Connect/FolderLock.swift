import Glibc
import Locking

/// A lock on the folder of a Unix socket, as far as the system grants one.
enum FolderLock {
    private static let pauseInMicroseconds: UInt32 = 10_000

    private static let pauses = Locked(LockPauses())

    /// Runs `body` while no other process that asks for the lock of the folder of `path` runs its own.
    static func hold<Result>(
        of path: String, _ body: () throws(TransportError) -> Result
    ) throws(TransportError) -> Result {
        let end = path.lastIndex(of: "/") ?? path.startIndex
        let name = end == path.startIndex ? "/" : String(path[..<end])
        // SAFETY: the path is lent for the call.
        let folder = unsafe open(name, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard folder >= 0 else { return try body() }
        // Closing the descriptor releases the lock.
        defer { close(folder) }
        while flock(folder, LOCK_EX | LOCK_NB) != 0, errno == EWOULDBLOCK,
            pauses.withLock({ $0.takePause(at: .now) })
        { usleep(pauseInMicroseconds) }
        return try body()
    }
}

/// How often this process may wait for a lock of a folder, for all of its sockets together.
///
/// A process holds a lock for a few system calls. One that holds it longer must not stop this one, whose loop waits.
struct LockPauses {
    /// With the pause of `FolderLock`, 0.2 s.
    static let limit = 20
    /// The time after which as many pauses are allowed again.
    static let span = Duration.seconds(10)

    private var count = 0
    private var end = MonotonicInstant(nanoseconds: 0)

    /// Whether a caller may pause once more.
    mutating func takePause(at now: MonotonicInstant) -> Bool {
        if now >= end { (count, end) = (0, now + Self.span) }
        count += 1
        return count <= Self.limit
    }
}
