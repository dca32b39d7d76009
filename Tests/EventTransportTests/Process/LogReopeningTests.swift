import Glibc
import Support
import Testing

@testable import EventTransport

@Suite("A background writer that opens its file again")
struct LogReopeningTests {
    @Test("writes waiting batches to the old file and later ones to the new file")
    func renamed() throws {
        let directory = try TemporaryDirectory()
        defer { directory.remove() }
        let (path, old) = (directory.file("log"), directory.file("log.1"))
        let writer = try BackgroundWriter(.file(path))
        let opened = Monitor<[TransportError?]>([])
        for number in 0..<3 {
            #expect(writer.takes("line \(number)\n"))
            // Whether the line has been written by now or not, it belongs to the file under its old name.
            try #require(rename(path, "\(old).\(number)") == 0)
            writer.reopen { error in opened.access { $0.append(error) } }
            try opened.wait("the file is open") { $0.count == number + 1 ? () : nil }
        }
        #expect(writer.takes("last\n"))
        writer.finish(within: .seconds(60))
        for number in 0..<3 { #expect(TemporaryDirectory.read("\(old).\(number)") == "line \(number)\n") }
        #expect(TemporaryDirectory.read(path) == "last\n")
        #expect(opened.access { $0.allSatisfy { $0 == nil } })
        #expect(writer.lostLineCount == 0)
    }

    @Test("keeps the old file if the new one cannot be opened")
    func unopenable() throws {
        let directory = try TemporaryDirectory()
        defer { directory.remove() }
        let (path, old) = (directory.file("log"), directory.file("old"))
        let writer = try BackgroundWriter(.file(path))
        try #require(rename(path, old) == 0)
        try #require(mkdir(path, 0o700) == 0)
        let failure = Monitor<TransportError?>(nil)
        writer.reopen { error in failure.access { $0 = error } }
        let error = try failure.wait("the failure") { $0 }
        #expect(error.message.contains(path) && error.message.contains("Is a directory"))
        #expect(writer.takes("line\n"))
        writer.finish(within: .seconds(60))
        #expect(TemporaryDirectory.read(old) == "line\n")
    }

    /// A named pipe that nobody reads, with a writer whose lines do not fit, and what keeps the pipe open.
    private static func stalledWriter(
        _ directory: TemporaryDirectory, lines: Int,
        _ body: (BackgroundWriter, _ pipe: String, _ reader: Int32) throws -> Void
    ) throws {
        let path = directory.file("pipe")
        try #require(mkfifo(path, 0o600) == 0)
        let reader = open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC)
        defer { close(reader) }
        let writer = try BackgroundWriter(.file(path))
        for number in 0..<lines { #expect(writer.takes(line(number))) }
        try Patience.poll("the pipe is full") {
            var entry = pollfd(fd: reader, events: Int16(POLLOUT), revents: 0)
            return poll(&entry, 1, 0) == 0 ? () : nil
        }
        try body(writer, path, reader)
    }

    private static func line(_ number: Int) -> String { "\(number) \(String(repeating: "x", count: 40_000))\n" }

    @Test("opens it at once if a pipe takes nothing, and loses only the line that the pipe has in part")
    func stalledPipe() throws {
        let directory = try TemporaryDirectory()
        defer { directory.remove() }
        try Self.stalledWriter(directory, lines: 10) { writer, path, _ in
            try #require(rename(path, directory.file("old")) == 0)
            let opened = Monitor(false)
            writer.reopen { error in opened.access { $0 = error == nil } }
            try opened.wait("the file is open") { $0 ? () : nil }
            writer.finish(within: .seconds(60))
            let lines = TemporaryDirectory.read(path).split(separator: "\n")
            #expect(lines.last?.hasPrefix("9 ") == true)
            #expect(lines.allSatisfy { $0.utf8.count == 40_002 })
            #expect(writer.lostLineCount == 1)
        }
    }

    @Test("continues a line if the same pipe is opened again")
    func samePipe() throws {
        let directory = try TemporaryDirectory()
        defer { directory.remove() }
        try Self.stalledWriter(directory, lines: 4) { writer, _, reader in
            let opened = Monitor(false)
            writer.reopen { error in opened.access { $0 = error == nil } }
            try opened.wait("the pipe is open") { $0 ? () : nil }
            var text: [UInt8] = []
            try Patience.poll("all is read") { () -> Void? in
                var bytes = [UInt8](repeating: 0, count: 65_536)
                let count = read(reader, &bytes, bytes.count)
                if count > 0 { text += bytes[..<count] }
                return text.count { $0 == 10 } == 4 ? () : nil
            }
            #expect(String(decoding: text, as: UTF8.self) == (0..<4).map(Self.line).joined())
            #expect(writer.finish(within: .seconds(60)) == 0)
        }
    }

    @Test("counts the lines that a stalled pipe has not taken at the end")
    func end() throws {
        let directory = try TemporaryDirectory()
        defer { directory.remove() }
        try Self.stalledWriter(directory, lines: 10) { writer, _, reader in
            let lost = writer.finish(within: .zero)
            var bytes = [UInt8](repeating: 0, count: 1 << 20)
            let count = read(reader, &bytes, bytes.count)
            #expect(Int(lost) == 10 - bytes[..<max(count, 0)].count { $0 == 10 } && lost > 0)
            #expect(writer.lostLineCount == lost)
        }
    }

    @Test("does not leak the old descriptor")
    func descriptors() async {
        await #expect(processExitsWith: .success) { try ExitTestBody.run(LogReopeningTests.expectBalance) }
    }

    private static func expectBalance() throws {
        try DescriptorTable.separate()
        let directory = try TemporaryDirectory()
        defer { directory.remove() }
        let writer = try BackgroundWriter(.file(directory.file("log")))
        let count = Monitor(0)
        writer.reopen { _ in count.access { $0 += 1 } }
        try count.wait("the first") { $0 == 1 ? () : nil }
        let before = Descriptors.open.count
        for _ in 0..<20 { writer.reopen { _ in count.access { $0 += 1 } } }
        try count.wait("all") { $0 == 21 ? () : nil }
        #expect(Descriptors.open.count == before)
    }
}
