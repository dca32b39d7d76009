import Glibc
import Locking
import Support
import Testing

@testable import EventTransport

@Suite("The notices of a file")
struct FileNoticesTests {
    /// A file behind links, as Kubernetes mounts a ConfigMap.
    private final class Mounted {
        let directory: TemporaryDirectory
        let loop: EventLoop
        let path: String

        init() throws {
            directory = try TemporaryDirectory()
            loop = try EventLoop()
            path = directory.file("mount/attache.yaml")
            for name in ["mount", "mount/one", "mount/two"] { try make(name) }
            for name in ["one", "two"] { _ = try directory.write(name, to: "mount/\(name)/attache.yaml") }
            try #require(symlink("one", directory.file("mount/..data")) == 0)
            try #require(symlink("..data/attache.yaml", path) == 0)
        }

        deinit { directory.remove() }

        func make(_ name: String) throws { try #require(mkdir(directory.file(name), 0o755) == 0) }

        func rename(_ old: String, _ new: String) throws {
            try #require(Glibc.rename(directory.file(old), directory.file(new)) == 0)
        }

        /// How often the watch told of a change during `change` and three seconds after it.
        func tells(of path: String, _ change: () throws -> Void) throws -> Int {
            let notices = try #require(FileNotices(of: path) { $0() })
            var count = 0
            let watch = FileNoticeWatch(loop, notices, delay: .seconds(1)) { count += 1 }
            try withExtendedLifetime(watch) {
                try change()
                for _ in 0..<6 {
                    loop.advance(by: .milliseconds(500))
                    loop.nextTurn {}
                    loop.runTurn()
                }
            }
            return count
        }
    }

    @Test("come once for a file that is written, replaced, removed or touched")
    func file() throws {
        let it = try Mounted()
        let file = it.directory.file("mount/one/attache.yaml")
        #expect(try it.tells(of: file) {} == 0)
        #expect(try it.tells(of: file) { _ = try it.directory.write("new", to: "mount/one/attache.yaml") } == 1)
        let changes: [() throws -> Void] = [
            {
                _ = try it.directory.write("newer", to: "mount/one/next")
                try it.rename("mount/one/next", "mount/one/attache.yaml")
            },
            { try #require(utimes(file, nil) == 0) },
            { try #require(truncate(file, 1) == 0) },
            { try #require(unlink(file) == 0) },
        ]
        for change in changes { #expect(try it.tells(of: file, change) == 1) }
    }

    @Test("come once if a link or folder on the way to it changes")
    func way() throws {
        let it = try Mounted()
        let changes: [() throws -> Void] = [
            {
                try #require(symlink("two", it.directory.file("mount/..data_tmp")) == 0)
                try it.rename("mount/..data_tmp", "mount/..data")
            },
            { _ = try it.directory.write("new", to: "mount/two/attache.yaml") },
            {
                try it.make("other")
                _ = try it.directory.write("other", to: "other/attache.yaml")
                try it.rename("mount", "old")
                try it.rename("other", "mount")
            },
        ]
        for change in changes { #expect(try it.tells(of: it.path, change) == 1) }
    }

    @Test("do not come for other files of the same folders")
    func others() throws {
        let it = try Mounted()
        let count = try it.tells(of: it.path) {
            for name in ["mount/one/log", "mount/log", "log"] {
                _ = try it.directory.write("line", to: name)
                _ = try it.directory.write("another line", to: name)
                try it.rename(name, "\(name).old")
                try #require(unlink(it.directory.file("\(name).old")) == 0)
            }
        }
        #expect(count == 0)
    }

    @Test("come after an overflow of their queue")
    func many() throws {
        let it = try Mounted()
        let file = it.directory.file("mount/log")
        let count = try it.tells(of: it.path) {
            // The system keeps 16,384 of them by default.
            for _ in 0..<20_000 {
                close(creat(file, 0o600))
                unlink(file)
            }
        }
        #expect(count == 1)
    }

    @Test("are nil for a missing file, a loop of links, and a file system that is not local")
    func none() throws {
        let it = try Mounted()
        let loop = it.directory.file("loop")
        try #require(symlink("loop", loop) == 0)
        let missing = ["none", "none/none"].map { it.directory.file($0) }
        for path in missing + [loop, "/proc/self/status", "/dev/fd/0"] {
            #expect(FileNotices(of: path) { $0() } == nil, "\(path)")
        }
        #expect(FileNotices(of: it.path) { $0() } != nil)
    }

    @Test("hold one descriptor, and none if they are nil; who made them says where it is closed")
    func descriptors() async {
        await #expect(processExitsWith: .success) {
            try ExitTestBody.run {
                try DescriptorTable.separate()
                let it = try Mounted()
                let before = Descriptors.open
                let closing = Locked<[@Sendable () -> Void]>([])
                var notices = FileNotices(of: it.path) { call in closing.withLock { $0.append(call) } }
                #expect(Descriptors.open.count == before.count + 1)
                notices = nil
                #expect(notices == nil && Descriptors.open.count == before.count + 1)
                for call in closing.withLock(\.self) { call() }
                #expect(Descriptors.open == before)
                // The second path leads to a local file through a folder that is not local.
                for path in [it.directory.file("none"), "/proc/self/root\(it.path)"] {
                    notices = FileNotices(of: path) { $0() }
                    #expect(notices == nil && Descriptors.open == before)
                }
            }
        }
    }
}
