import Glibc
import Support
import Testing

@testable import EventTransport

@Suite("A stream that never waits for its reader")
struct PromptStreamTests {
    private static func line(_ count: Int) -> [UInt8] {
        [UInt8](repeating: UInt8(ascii: "x"), count: count - 1) + [UInt8(ascii: "\n")]
    }

    /// Two ends of a pipe, which the body closes neither.
    private static func withPipe(_ body: (_ read: Int32, _ write: Int32) throws -> Void) throws {
        var ends: [Int32] = [-1, -1]
        try #require(pipe(&ends) == 0)
        defer { for end in ends { close(end) } }
        try body(ends[0], ends[1])
    }

    private static func isNonBlocking(_ descriptor: Int32) -> Bool { fcntl(descriptor, F_GETFL) & O_NONBLOCK != 0 }

    private static func waitingBytes(_ descriptor: Int32) -> Int {
        var count: Int32 = 0
        _ = ioctl(descriptor, UInt(FIONREAD), &count)
        return Int(count)
    }

    @Test("drops a line that a pipe has no room for, and takes whole lines when it has")
    func fullPipe() throws {
        try Self.withPipe { read, write in
            let stream = PromptStream(write)
            let limit = try #require(stream.lineLimit)
            var taken = 0
            while true {
                let before = Self.waitingBytes(read)
                stream.offer(Self.line(limit))
                guard Self.waitingBytes(read) > before else { break }
                taken += 1
            }
            #expect(taken > 0 && Self.waitingBytes(read) == taken * limit)
            var bytes = [UInt8](repeating: 0, count: limit)
            #expect(Glibc.read(read, &bytes, limit) == limit)
            stream.offer(Self.line(limit))
            #expect(Self.waitingBytes(read) == taken * limit)
            // Another process with the same end of the pipe may rely on it.
            #expect(!Self.isNonBlocking(write))
        }
    }

    @Test("does not wait for a stalled reader, however many threads write")
    func threads() throws {
        try Self.withPipe { read, write in
            let stream = PromptStream(write)
            let threads = (0..<4).map { number in
                BackgroundThread("writer \(number)") {
                    for _ in 0..<20_000 { stream.offer(Self.line(1000)) }
                }
            }
            // Room for a few lines comes up again and again, and several threads want it.
            let isDone = Monitor(false)
            let reader = BackgroundThread("reader") {
                var bytes = [UInt8](repeating: 0, count: 4096)
                while !isDone.access({ $0 }) {
                    if Self.waitingBytes(read) >= bytes.count { _ = Glibc.read(read, &bytes, bytes.count) }
                }
            }
            for thread in threads { try thread.join() }
            isDone.access { $0 = true }
            try reader.join()
        }
    }

    @Test("drops a line that a socket has no room for")
    func fullSocket() throws {
        var ends: [Int32] = [-1, -1]
        try #require(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0)
        defer { for end in ends { close(end) } }
        let stream = PromptStream(ends[0])
        // More than any buffer of a socket holds.
        for _ in 0..<4000 { stream.offer(Self.line(4096)) }
        #expect(Self.waitingBytes(ends[1]) > 0 && !Self.isNonBlocking(ends[0]))
    }

    @Test("writes a long line to a regular file whole")
    func file() throws {
        let directory = try TemporaryDirectory()
        defer { directory.remove() }
        let path = directory.file("log")
        let descriptor = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
        defer { close(descriptor) }
        let stream = PromptStream(descriptor)
        #expect(stream.lineLimit == nil)
        stream.offer(Self.line(100_000))
        stream.offer(Self.line(10))
        #expect(TemporaryDirectory.read(path).utf8.count == 100_010)
    }
}
