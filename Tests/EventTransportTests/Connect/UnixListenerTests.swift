import Glibc
import Support
import Testing

@testable import EventTransport

@Suite("A listening Unix socket")
final class UnixListenerTests {
    private let directory: TemporaryDirectory
    private let path: String

    init() throws {
        directory = try TemporaryDirectory()
        path = directory.file("proxy.sock")
    }

    deinit { directory.remove() }

    private func bind(_ access: SocketFile.Access = SocketFile.Access()) throws -> BoundSocket {
        try BoundSocket(UnixAddress(path), access)
    }

    /// The bits of the file's mode, with its kind; nil without a file.
    private func mode(_ path: String) -> mode_t? {
        var status = stat()
        return lstat(path, &status) == 0 ? status.st_mode : nil
    }

    /// What a client's attempt to connect ends with.
    private func connects(to path: String) -> Bool { (try? BlockingSocket(path: path)) != nil }

    /// The error of listening at the path.
    private func refusal() throws -> TransportError {
        try #require(throws: TransportError.self) { try bind() }
    }

    @Test("accepts connections, names their user, and removes its file when it is closed")
    func accept() throws {
        let loop = try EventLoop()
        defer { loop.finish() }
        var peers: [LocalPeer?] = []
        let listener = Listener(loop: loop, socket: try bind()) { socket in
            #expect(socket.peer == nil)
            peers.append(LocalPeer(of: socket))
        }
        #expect("\(listener.address)" == "unix:\(path)")
        // A client that has gone before it is accepted has left its name.
        try BlockingSocket(path: path).close()
        let client = try BlockingSocket(path: path)
        loop.runUntil { peers.count == 2 }
        #expect(peers.map { $0?.user } == [getuid(), getuid()])
        #expect(peers.map { $0?.group } == [getgid(), getgid()])
        listener.close()
        client.close()
        #expect(mode(path) == nil)
    }

    @Test("names the supplementary groups of a client, if they are asked for")
    func groups() throws {
        let loop = try EventLoop()
        defer { loop.finish() }
        var peers: [LocalPeer?] = []
        let listener = Listener(loop: loop, socket: try bind()) { socket in
            peers = [LocalPeer(of: socket), LocalPeer(withGroupsOf: socket)]
        }
        let client = try BlockingSocket(path: path)
        loop.runUntil { !peers.isEmpty }
        var own = [gid_t](repeating: 0, count: 65_536)
        let count = getgroups(Int32(own.count), &own)
        #expect(peers[0]?.otherGroups == [])
        #expect(peers[1]?.otherGroups.sorted() == own.prefix(Int(count)).sorted())
        #expect(peers[1]?.user == getuid())
        listener.close()
        client.close()
    }

    @Test("has the mode that was asked for, whatever the umask", arguments: [0o600, 0o660, 0o666, 0o777] as [UInt32])
    func fileMode(wanted: UInt32) throws {
        let socket = try bind(SocketFile.Access(mode: wanted))
        #expect(mode(path) == S_IFSOCK | wanted)
        socket.close()
    }

    @Test("has the owner that was asked for")
    func owner() throws {
        let isRoot = geteuid() == 0
        let (user, group) = isRoot ? (1001, 1002) : (getuid(), getgid())
        let socket = try bind(SocketFile.Access(user: user, group: group))
        var status = stat()
        #expect(lstat(path, &status) == 0 && status.st_uid == user && status.st_gid == group)
        socket.close()
    }

    @Test("replaces the socket of a process that has ended")
    func stale() throws {
        let old = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        #expect(sockaddr_un.withAddress(path) { Glibc.bind(old, $0, $1) } == 0)
        Glibc.close(old)
        #expect(mode(path) != nil && !connects(to: path))
        let socket = try bind()
        #expect(connects(to: path))
        socket.close()
    }

    @Test("leaves a socket alone on which somebody listens, even if its queue is full")
    func live() throws {
        let first = try bind()
        let error = try refusal()
        #expect(error.kind == .addressInUse)
        #expect(error.message.contains("another process listens there; stop it or choose another path"), "\(error)")
        first.close()
        let full = try BoundSocket(UnixAddress(path), SocketFile.Access(), backlog: 0)
        let waiting = try BlockingSocket(path: path)
        #expect(try refusal().kind == .addressInUse)
        #expect(mode(path) != nil)
        waiting.close()
        full.close()
    }

    @Test("leaves a socket of another kind alone")
    func datagrams() throws {
        let other = try NotificationSocket(path)
        #expect(try refusal().kind == .addressInUse)
        withExtendedLifetime(other) {}
        #expect(mode(path) != nil)
    }

    @Test("leaves every other file alone: regular files, folders and links, even to an old socket")
    func otherFiles() throws {
        func expectRefused(_ reason: String = "the path is a file that is not a socket") throws {
            let before = mode(path)
            #expect(try refusal().message.contains(reason))
            #expect(mode(path) == before)
        }
        try directory.write("text", to: "proxy.sock")
        try expectRefused()
        unlink(path)
        mkdir(path, 0o700)
        try expectRefused()
        rmdir(path)
        let target = directory.file("old.sock")
        let old = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        #expect(sockaddr_un.withAddress(target) { Glibc.bind(old, $0, $1) } == 0)
        Glibc.close(old)
        let link = "the path is a symbolic link, which attache does not follow"
        symlink(target, path)
        try expectRefused(link)
        unlink(path)
        symlink(directory.file("nothing"), path)
        try expectRefused(link)
        #expect(mode(target) != nil)
    }

    @Test("does not remove the file that another process has put in its place")
    func replaced() throws {
        let first = try bind()
        unlink(path)
        let second = try bind()
        first.close()
        #expect(connects(to: path))
        unlink(path)
        try directory.write("text", to: "proxy.sock")
        second.close()
        #expect(mode(path) == S_IFREG | (mode(path) ?? 0) & 0o777)
    }

    @Test("waits for other processes 20 times in 10 s, for all sockets together")
    func pauses() {
        var pauses = LockPauses()
        let start = MonotonicInstant.now
        let limit = LockPauses.limit
        for (first, last) in [(0, 9.9), (10, 19)] {
            var taken = (0..<limit).map { _ in pauses.takePause(at: start + .seconds(first)) }
            taken.append(pauses.takePause(at: start + .seconds(last)))
            #expect(taken == Array(repeating: true, count: limit) + [false])
        }
    }

    @Test("is made although another process keeps the lock of the folder")
    func lockedFolder() throws {
        let lock = open(directory.path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        defer { Glibc.close(lock) }
        #expect(flock(lock, LOCK_EX) == 0)
        let socket = try bind()
        #expect(connects(to: path))
        socket.close()
        #expect(mode(path) == nil)
    }

    @Test("needs a folder that exists")
    func missingFolder() throws {
        let address = UnixAddress(directory.file("none/proxy.sock"))
        let error = try #require(throws: TransportError.self) { try BoundSocket(address, SocketFile.Access()) }
        #expect(error.message.contains("the folder does not exist; make it or choose another path"), "\(error)")
    }

    @Test("An abstract name has no file, and is free again after the socket")
    func abstract() throws {
        let address = UnixAddress("@attache-test-\(getpid())")
        let first = try BoundSocket(address, SocketFile.Access())
        #expect(connects(to: address.name))
        let error = try #require(throws: TransportError.self) { try BoundSocket(address, SocketFile.Access()) }
        #expect(error.kind == .addressInUse)
        first.close()
        #expect(!connects(to: address.name))
        try BoundSocket(address, SocketFile.Access()).close()
    }

    @Test("A path of 107 bytes is not cut")
    func longPath() throws {
        let folder = directory.path + "/"
        let path = folder + String(repeating: "a", count: UnixAddress.byteLimit - folder.utf8.count)
        let socket = try BoundSocket(UnixAddress(path), SocketFile.Access())
        #expect(mode(path) != nil && connects(to: path))
        socket.close()
        let address = UnixAddress(path + "a")
        #expect(throws: TransportError.self) { try BoundSocket(address, SocketFile.Access()) }
        #expect(mode(path) == nil)
    }

    @Test("Copies share connections, and closing one of them removes nothing")
    func copies() throws {
        let first = try bind()
        let second = try first.another()
        #expect(second.address == first.address)
        second.close()
        #expect(connects(to: path))
        let third = try first.another()
        first.close()
        #expect(mode(path) == nil)
        #expect(throws: TransportError.self) { try first.another() }
        third.close()
    }

    @Test("Two loops accept each connection once")
    func twoLoops() throws {
        let loops = [try EventLoop(), try EventLoop()]
        defer { for loop in loops { loop.finish() } }
        var count = 0
        let first = try bind()
        let listeners = try loops.enumerated().map { index, loop in
            Listener(loop: loop, socket: index == 0 ? first : try first.another()) { _ in count += 1 }
        }
        let clients = try (0..<20).map { _ in try BlockingSocket(path: path) }
        for _ in 0..<clients.count {
            for loop in loops {
                // Without work, a turn would wait for a connection.
                loop.execute {}
                loop.runTurn()
            }
        }
        #expect(count == clients.count)
        for listener in listeners { listener.close() }
    }
}
