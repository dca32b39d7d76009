private import Glibc

/// A new file beside the one that it will replace; its name is unique to one process and moment.
///
/// The process that makes it holds a lock on it (`flock`) until the descriptor is closed. So a file that a killed
/// process left behind differs from one that another process is writing.
struct TemporaryFile {
    let path: String
    let descriptor: Int32

    private static let mostAttempts = 8

    /// Makes a file, and removes those that killed processes have left behind; nil with the reason in `errno`.
    static func make(beside name: Substring, in folder: String) -> TemporaryFile? {
        let prefix = ".\(name).attache-new"
        removeAbandoned(prefix, in: folder)
        for _ in 0..<mostAttempts {
            let random = SecureRandom.bytes(8).map { String($0, radix: 16) }.joined()
            let path = "\(folder)\(prefix).\(random)"
            // SAFETY: the path is lent for the call as a string without another zero byte.
            let descriptor = unsafe open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
            guard descriptor >= 0 else { return nil }
            if isOurs(descriptor) { return TemporaryFile(path: path, descriptor: descriptor) }
            _ = close(descriptor)
        }
        errno = EBUSY
        return nil
    }

    /// Locks the file; false if another process considered it abandoned before that, and may have removed it.
    private static func isOurs(_ descriptor: Int32) -> Bool {
        // On a file system without locks, no process removes files either.
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else { return errno != EWOULDBLOCK }
        var attributes = stat()
        // SAFETY: the call writes one `stat`, which this is.
        return unsafe fstat(descriptor, &attributes) == 0 && attributes.st_nlink > 0
    }

    // SAFETY: every path is lent for its call; the folder is closed at the end, and an entry is read before the next one.
    private static func removeAbandoned(_ prefix: String, in folder: String) {
        guard let listing = unsafe opendir(folder) else { return }
        defer { unsafe _ = closedir(listing) }
        while let entry = unsafe readdir(listing) {
            let name = unsafe withUnsafeBytes(of: entry.pointee.d_name) { bytes in
                unsafe String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            guard name.hasPrefix(prefix) else { continue }
            let path = folder + name
            let descriptor = unsafe open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
            guard descriptor >= 0 else { continue }
            if flock(descriptor, LOCK_EX | LOCK_NB) == 0 { _ = unsafe unlink(path) }
            _ = close(descriptor)
        }
    }
}
