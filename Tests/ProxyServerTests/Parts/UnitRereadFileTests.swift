import EventTransport
import Glibc
import Support
import Testing

@testable import ProxyServer

@Suite struct UnitRereadFileTests {
    /// A file whose reads are counted.
    private final class Counted {
        let directory: TemporaryDirectory
        var reads = 0
        private var now = MonotonicInstant(nanoseconds: 0)
        private var changes: [RereadFile<String>.Event] = []
        private var file: RereadFile<String>?

        init() throws {
            directory = try TemporaryDirectory()
            let path = try directory.write("one", to: "file")
            let first = try ChangingContent("one") { _ in }
            file = RereadFile(path, holding: first, at: now) { [unowned self] known, done in
                done(
                    RereadFile.look(at: [path], known: known) {
                        reads += 1
                        let text = TemporaryDirectory.read(path)
                        return text.isEmpty ? .failure(TransportError(.system, "empty")) : .success(text)
                    })
            } log: { [unowned self] in
                changes.append($0)
            }
        }

        /// Writes the file as if that had been long ago.
        func write(_ text: String, at seconds: Int) throws {
            let path = try directory.write(text, to: "file")
            let time = timespec(tv_sec: seconds, tv_nsec: 0)
            let times = [time, time]
            try #require(utimensat(AT_FDCWD, path, times, 0) == 0)
        }

        func look() {
            now = now.advanced(by: .seconds(1))
            file?.renew(at: now)
        }

        var newest: String? { file?.newest }

        func takeChanges() -> [RereadFile<String>.Event] {
            defer { changes = [] }
            return changes
        }
    }

    @Test func `A file is read again only when its version changes`() throws {
        let it = try Counted()
        defer { it.directory.remove() }
        try it.write("one", at: 1000)
        for _ in 0..<5 { it.look() }
        #expect(it.reads == 1 && it.takeChanges() == [])
        try it.write("two", at: 1001)
        for _ in 0..<5 { it.look() }
        #expect(it.reads == 2 && it.takeChanges() == [.replaced] && it.newest == "two")
    }

    @Test func `A file that has just changed, or cannot be read, is read each time`() throws {
        let it = try Counted()
        defer { it.directory.remove() }
        _ = try it.directory.write("two", to: "file")
        it.look()
        _ = try it.directory.write("six", to: "file")
        it.look()
        #expect(it.reads == 2 && it.takeChanges() == [.replaced, .replaced] && it.newest == "six")
        try it.write("", at: 1000)
        for _ in 0..<3 { it.look() }
        #expect(it.reads == 5 && it.takeChanges() == [.kept(reason: "empty")] && it.newest == "six")
    }
}
