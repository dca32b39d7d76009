import CLibevent
import Glibc

/// The file of a Unix socket that this process has bound.
///
/// Any thread. Processes that use this type take a lock on the folder while they replace or remove a socket, so that
/// none takes the new socket of another for an old one.
package struct SocketFile: Sendable {
    /// Who may connect to a Unix socket.
    package struct Access: Equatable, Sendable {
        /// The permission bits of the file.
        package let mode: UInt32
        /// The owner; nil for the user of the process.
        package let user: UInt32?
        /// The group; nil for that of the process, or of the folder.
        package let group: UInt32?

        package init(mode: UInt32 = 0o600, user: UInt32? = nil, group: UInt32? = nil) {
            self.mode = mode
            self.user = user
            self.group = group
        }
    }

    private let path: String
    private let identity: Identity

    /// What a file is, whatever its path.
    private struct Identity: Equatable {
        let device: dev_t
        let inode: ino_t
        let kind: mode_t

        init(_ status: stat) {
            device = status.st_dev
            inode = status.st_ino
            kind = status.st_mode & S_IFMT
        }

        /// The file at a path, which may be a link; nil if there is none.
        init?(at path: String) {
            var status = stat()
            // SAFETY: the call writes one `stat`, which this is.
            guard unsafe lstat(path, &status) == 0 else { return nil }
            self.init(status)
        }
    }

    /// Binds a socket and listens; nil for an abstract name, which has no file.
    ///
    /// Clients can connect only after the file has its mode and owner, because the socket does not listen before.
    static func bind(
        _ socket: borrowing Socket, to address: UnixAddress, _ access: Access, backlog: Int32
    ) throws(TransportError) -> SocketFile? {
        // The kernel removes the bits of the umask from this mode, so the file never has more.
        _ = fchmod(socket.descriptor, access.mode)
        guard !address.isAbstract else {
            guard bind(socket.descriptor, address), listen(socket.descriptor, backlog) == 0 else {
                throw failure(errno, address)
            }
            return nil
        }
        return try FolderLock.hold(of: address.name) { () throws(TransportError) in
            if !bind(socket.descriptor, address) {
                guard errno == EADDRINUSE else { throw failure(errno, address) }
                try removeOld(at: address)
                guard bind(socket.descriptor, address) else { throw failure(errno, address) }
            }
            guard let file = SocketFile(boundAt: address.name) else { throw failure(errno, address) }
            do throws(TransportError) {
                try file.set(access, of: address)
                guard listen(socket.descriptor, backlog) == 0 else { throw failure(errno, address) }
            } catch {
                file.unlinkIfSame()
                throw error
            }
            return file
        }
    }

    private init?(boundAt path: String) {
        guard let identity = Identity(at: path) else { return nil }
        self.path = path
        self.identity = identity
    }

    private static func bind(_ descriptor: Int32, _ address: UnixAddress) -> Bool {
        let name = address.bytes
        // SAFETY: the array is lent for the call, with its size.
        return unsafe attache_unix_bind(descriptor, name, name.count) == 0
    }

    /// Removes the file of a socket on which nobody listens.
    private static func removeOld(at address: UnixAddress) throws(TransportError) {
        guard let old = Identity(at: address.name) else { return }
        guard old.kind != S_IFLNK else {
            throw TransportError(
                .system,
                "cannot listen on \(address): the path is a symbolic link, which attache does not follow; remove the link, or write "
                    + "the path of its target", errno: EEXIST)
        }
        guard old.kind == S_IFSOCK else {
            throw TransportError(
                .system,
                "cannot listen on \(address): the path is a file that is not a socket; remove the file or choose another path",
                errno: EEXIST)
        }
        let probe = Socket(owning: attache_unix_open())
        let name = address.bytes
        // SAFETY: the array is lent for the call, with its size.
        let isConnected = unsafe attache_unix_connect(probe.descriptor, name, name.count) == 0
        switch isConnected ? 0 : errno {
        case ECONNREFUSED: break
        case ENOENT: return
        case EACCES, EPERM:
            throw TransportError(
                .permission,
                "cannot listen on \(address): the path is a socket of another user; stop its process, or remove the file if no "
                    + "process uses it", errno: EACCES)
        // Accepted, its queue is full (EAGAIN), or it is of another kind (EPROTOTYPE).
        default: throw failure(EADDRINUSE, address)
        }
        // SAFETY: the path is lent for the call.
        guard unsafe unlink(address.name) == 0 || errno == ENOENT else {
            throw TransportError(system: errno, "cannot remove the old socket \(address)")
        }
    }

    /// `O_PATH`, which Glibc keeps for GNU sources: opens a file only to name it.
    private static let pathOnly: Int32 = 0o10000000

    /// Sets mode and owner of the file itself, not of what another process may have put at its path.
    private func set(_ access: Access, of address: UnixAddress) throws(TransportError) {
        // SAFETY: the path is lent for the call.
        let file = Socket(owning: unsafe open(path, Self.pathOnly | O_NOFOLLOW | O_CLOEXEC))
        var status = stat()
        // SAFETY: the call writes one `stat`, which this is.
        guard file.descriptor >= 0, unsafe fstat(file.descriptor, &status) == 0 else {
            throw TransportError(system: errno, "cannot open the socket \(address)")
        }
        guard Identity(status) == identity else {
            throw TransportError(
                .system,
                "another process replaced the socket \(address) while it was made; give each process its own path")
        }
        if access.user != nil || access.group != nil {
            guard attache_file_own(file.descriptor, access.user ?? .max, access.group ?? .max) == 0 else {
                throw TransportError(
                    system: errno, "cannot set the owner of the socket \(address)",
                    advice: "only root may give a file away; a process may choose its own groups")
            }
        }
        guard status.st_mode & 0o777 != access.mode else { return }
        // The only way to a file's mode that follows no link (proc(5)).
        // SAFETY: the path is lent for the call.
        guard unsafe chmod("/proc/self/fd/\(file.descriptor)", access.mode) == 0 else {
            throw TransportError(system: errno, "cannot set the mode of the socket \(address)")
        }
    }

    /// Removes the file, unless another file has its path now.
    ///
    /// Must be called before the socket's descriptor is closed: until then, no other file can have its inode number.
    func remove() {
        try? FolderLock.hold(of: path) { () throws(TransportError) in unlinkIfSame() }
    }

    private func unlinkIfSame() {
        guard Identity(at: path) == identity else { return }
        // SAFETY: the path is lent for the call.
        unsafe _ = unlink(path)
    }

    private static func failure(_ number: Int32, _ address: UnixAddress) -> TransportError {
        let advice: String? =
            switch number {
            case EADDRINUSE: "another process listens there; stop it or choose another path"
            case ENOENT, ENOTDIR: "the folder does not exist; make it or choose another path"
            case EACCES, EPERM, EROFS: "attache needs a folder that it may write to"
            default: nil
            }
        return TransportError(system: number, "cannot listen on \(address)", advice: advice)
    }
}
