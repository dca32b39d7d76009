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
