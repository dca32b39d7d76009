import EventTransport
import Glibc
import Support
import Testing

@testable import ProxyServer

@Suite struct UnitRereadFileTests {
    /// A file whose reads are counted.
    private final class Counted {
        let directory: TemporaryDirectory
        /// How long ago the file seems to have changed when it is looked at, in seconds.
        var age = 0
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
                    RereadFile.look(at: [path], known: known, unixTime: time(nil) + age) {
                        reads += 1
                        let text = TemporaryDirectory.read(path)
                        return text.isEmpty ? .failure(TransportError(.system, "empty")) : .success(text)
                    })
            } log: { [unowned self] in
                changes.append($0)
            }
        }

        func write(_ text: String) throws { _ = try directory.write(text, to: "file") }

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
        it.age = 10
        for _ in 0..<5 { it.look() }
        #expect(it.reads == 1 && it.takeChanges() == [])
        try it.write("three")
        for _ in 0..<5 { it.look() }
        #expect(it.reads == 2 && it.takeChanges() == [.replaced] && it.newest == "three")
    }

    @Test func `A file that has just changed, or cannot be read, is read each time`() throws {
        let it = try Counted()
        defer { it.directory.remove() }
        try it.write("two")
        it.look()
        try it.write("six")
        it.look()
        #expect(it.reads == 2 && it.takeChanges() == [.replaced, .replaced] && it.newest == "six")
        it.age = 10
        try it.write("")
        for _ in 0..<3 { it.look() }
        #expect(it.reads == 5 && it.takeChanges() == [.kept(reason: "empty")] && it.newest == "six")
    }
}
