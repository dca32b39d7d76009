private import Glibc

/// Replaces the content of a file so that it holds either the whole old or the whole new content, whenever the
/// process or the machine stops.
///
/// It performs one operation of the file system at a time, so that a test can stop after each. The new content is
/// written to a new file in the same folder, with the old file's mode and, as far as this process may set it, its
/// owner. Symbolic links stay: the file that they lead to is replaced. Several processes may replace one file at
/// once; it then holds the content of one of them.
package struct FileReplacement: ~Copyable {
    /// Why the replacement stopped; the old content is still there unless the last operation, `persist`, failed.
    package struct Failure: Error, Equatable, Sendable {
        package let operation: Operation
        /// The system's errno.
        package let code: Int32
    }

    package enum Operation: String, Sendable, CaseIterable {
        case create
        case write
        case synchronize
        case rename
        case persist
    }

    private let folder: String
    private let target: String
    private let name: Substring
    /// The new file; nil until it has been made.
    private var temporary: TemporaryFile?
    private let content: [UInt8]
    private let attributes: stat
    private var next: Int

    /// Checks the file to be replaced, which must be a regular one.
    package init(of path: String, by content: [UInt8]) throws(SecretFile.Problem) {
        guard !path.utf8.contains(0) else { throw .missing }
        // SAFETY: the path is lent for the call as a string without another zero byte; the result is copied and freed.
        guard let resolved = unsafe realpath(path, nil) else { throw SecretFile.problem(errno) }
        let target = unsafe String(cString: resolved)
        unsafe free(resolved)
        var attributes = stat()
        // SAFETY: the path is lent for the call, which writes one `stat`, which this is.
        guard unsafe stat(target, &attributes) == 0 else { throw SecretFile.problem(errno) }
        guard attributes.st_mode & S_IFMT == S_IFREG else { throw .notRegular }
        let nameStart = target.lastIndex(of: "/").map { target.index(after: $0) } ?? target.startIndex
        self.target = target
        self.attributes = attributes
        self.content = content
        folder = String(target[..<nameStart])
        name = target[nameStart...]
        next = 0
    }

    deinit { if let temporary { _ = close(temporary.descriptor) } }

    /// Performs all operations.
    package static func replace(_ path: String, with content: [UInt8]) throws(SecretFile.Problem) {
        var replacement = try FileReplacement(of: path, by: content)
        do throws(Failure) {
            while try replacement.advance() {}
        } catch {
            // SAFETY: the path is lent for the call.
            if error.operation != .persist, let temporary = replacement.temporary { unsafe _ = unlink(temporary.path) }
            throw SecretFile.problem(error.code)
        }
    }

    /// Performs the next operation; false if none is left.
    package mutating func advance() throws(Failure) -> Bool {
        guard next < Operation.allCases.count else { return false }
        let operation = Operation.allCases[next]
        guard perform(operation) else { throw Failure(operation: operation, code: errno) }
        next += 1
        return true
    }

    // SAFETY: every path is lent for its call as a string without another zero byte, and the content for the call that
    // reads no more bytes than it has.
    private mutating func perform(_ operation: Operation) -> Bool {
        if operation == .create {
            temporary = TemporaryFile.make(beside: name, in: folder)
            return temporary != nil
        }
        guard let temporary else { preconditionFailure("a file was written before it was made") }
        let descriptor = temporary.descriptor
        switch operation {
        case .create: return true
        case .write:
            var written = 0
            while written < content.count {
                let count = unsafe content[written...].withUnsafeBytes { rest in
                    unsafe Glibc.write(descriptor, rest.baseAddress, rest.count)
                }
                guard count >= 0 || errno == EINTR else { return false }
                written += max(count, 0)
            }
            // Only root may give a file away; any other process keeps its own file.
            _ = fchown(descriptor, attributes.st_uid, attributes.st_gid)
            return fchmod(descriptor, attributes.st_mode & 0o7777) == 0
        case .synchronize: return fsync(descriptor) == 0
        case .rename: return unsafe Glibc.rename(temporary.path, target) == 0
        case .persist:
            let opened = unsafe open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
            guard opened >= 0 else { return false }
            let isDone = fsync(opened) == 0
            // The reason is read from `errno` later, which `close` may set too.
            let code = errno
            _ = close(opened)
            errno = code
            return isDone
        }
    }
}

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
