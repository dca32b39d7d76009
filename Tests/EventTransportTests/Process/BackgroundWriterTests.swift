import Glibc
import Locking
import Support
import Testing

@testable import EventTransport

@Suite("A background writer")
struct BackgroundWriterTests {
    @Test("counts the lines that its destination does not take")
    func full() throws {
        let writer = try BackgroundWriter(.file("/dev/full"))
        #expect(writer.takes("one\ntwo\n"))
        #expect(writer.takes("three\n"))
        writer.finish(within: .seconds(60))
        #expect(writer.lostLineCount == 3)
    }

    @Test("reports each loss, but not a batch that the destination takes")
    func reports() throws {
        let lost = Locked(0)
        for (path, expected) in [("/dev/full", 2), ("/dev/null", 0)] {
            lost.withLock { $0 = 0 }
            let writer = try BackgroundWriter(.file(path))
            writer.whenLinesLost { lost.withLock { $0 += 1 } }
            #expect(writer.takes("one\ntwo\n"))
            #expect(writer.takes("three\n"))
            writer.finish(within: .seconds(60))
            #expect(lost.withLock { $0 } == expected)
        }
    }

    @Test("loses lines while the disk is full, and continues with whole ones when there is room again")
    func roomAgain() async {
        // In a process of its own: a largest size for files, which stands for the full disk, is everybody's.
        await #expect(processExitsWith: .success) { try ExitTestBody.run(BackgroundWriterTests.fillDisk) }
    }

    private static func fillDisk() throws {
        Signals.ignoreFailedWrites()
        let directory = try TemporaryDirectory()
        defer { directory.remove() }
        let path = directory.file("log")
        var limit = rlimit(rlim_cur: 1000, rlim_max: rlim_t.max)
        getrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)
        limit.rlim_cur = 1000
        setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)
        let writer = try BackgroundWriter(.file(path))
        // A thousand bytes end inside a line.
        let lines = (0..<100).map { "line \($0) of the log\n" }
        #expect(writer.takes(lines.joined()))
        try Patience.poll("lines are lost") { writer.lostLineCount > 0 ? () : nil }
        let kept = TemporaryDirectory.read(path)
        #expect(kept.utf8.count == 1000 && !kept.hasSuffix("\n"))
        #expect(Int(writer.lostLineCount) == 100 - kept.count { $0 == "\n" })
        // Somebody moves what is there out of the way.
        try #require(truncate(path, 0) == 0)
        #expect(writer.takes("after\n"))
        writer.finish(within: .seconds(60))
        #expect(TemporaryDirectory.read(path) == "\nafter\n")
    }
}

extension BackgroundWriter {
    private struct Lines: WrittenLines {
        let bytes: [UInt8]
        var byteCount: Int { bytes.count }
        func withBytes(_ body: (Span<UInt8>) -> Void) { body(bytes.span) }
    }

    func takes(_ text: String) -> Bool { submit(Lines(bytes: Array(text.utf8))) }
}
