import Glibc
import Support
import Testing

@Suite("The program and its standard streams", .serialized)
struct ExecutableStreamTests {
    @Test("A standard error that no process reads loses lines, but does not stop the program")
    func fullStandardError() throws {
        let directory = try TemporaryDirectory()
        defer { directory.remove() }
        let pipe = directory.file("pipe")
        try #require(mkfifo(pipe, 0o600) == 0)
        // Open for both, so that the program's own open finds a reader; small, so that some lines fill it.
        let reader = open(pipe, O_RDWR | O_NONBLOCK | O_CLOEXEC)
        defer { close(reader) }
        // F_SETPIPE_SZ, which Glibc's module leaves out.
        try #require(fcntl(reader, 1031, 8192) >= 0)
        try withExecutable(redirections: "2>'\(pipe)'") { running, backend, _ in
            let client = try running.client()
            defer { client.close() }
            for number in 0..<2000 {
                running.process.signal(SIGHUP)
                #expect(try client.get("\(backend.url)/\(number)").status == 200)
            }
            #expect(running.process.isRunning)
            running.process.signal(SIGTERM)
            #expect(try running.process.waitForEnd() == .exited(0))
        }
        var bytes = [UInt8](repeating: 0, count: 65536)
        let count = read(reader, &bytes, bytes.count)
        let text = String(decoding: bytes[..<max(0, count)], as: UTF8.self)
        #expect(text.contains("SIGHUP") && text.hasSuffix("\n"), "\(text)")
    }

    @Test("An access log that is a pipe without a reader is reported, and a later reader gets the lines")
    func pipeWithoutReader() throws {
        let directory = try TemporaryDirectory()
        defer { directory.remove() }
        let pipe = directory.file("pipe")
        try #require(mkfifo(pipe, 0o600) == 0)
        try withExecutable(Layout(accessLog: pipe)) { running, backend, _ in
            #expect(running.process.errors.contains("no process reads the access log's pipe"))
            let client = try running.client()
            defer { client.close() }
            #expect(try client.get("\(backend.url)/early").status == 200)
            let reader = open(pipe, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
            defer { close(reader) }
            var text = ""
            try Patience.poll("the line is in the pipe") {
                var bytes = [UInt8](repeating: 0, count: 65536)
                let count = read(reader, &bytes, bytes.count)
                text += String(decoding: bytes[..<max(0, count)], as: UTF8.self)
                return text.contains("/early") ? () : nil
            }
        }
    }

    @Test("Started without standard streams, it serves and uses their numbers for nothing else")
    func noStreams() throws {
        try withExecutable(redirections: "<&- >&- 2>&-") { running, backend, _ in
            let client = try running.client()
            defer { client.close() }
            #expect(try client.get("\(backend.url)/").status == 200)
            running.process.signal(SIGHUP)
            #expect(try client.get("\(backend.url)/").status == 200)
            #expect(running.process.descriptors.prefix(3) == ["0=/dev/null", "1=/dev/null", "2=/dev/null"])
            running.process.signal(SIGTERM)
            #expect(try running.process.waitForEnd() == .exited(0))
        }
    }
}
