import Glibc
import Support
import Testing

@Suite("The program and an access log that cannot be written", .serialized)
struct ExecutableLogTests {
    private let dropped = "attache_access_log_dropped_lines_total"

    @Test(
        "A full disk loses lines, which are counted, but stops no request; lines are written when there is room again")
    func fullDisk() throws {
        let size = 8192
        try withExecutable { running, backend, directory in
            // The largest size of a file stands for the disk. A limit from the start would end the thread sanitizer.
            let limiting = try ChildProcess(
                "/usr/bin/prlimit", ["--pid", "\(running.process.identifier)", "--fsize=\(size)"], in: directory)
            try #require(try limiting.waitForEnd() == .exited(0))
            let client = try running.client()
            defer { client.close() }
            let path = "/" + String(repeating: "p", count: 500)
            for _ in 0..<50 { #expect(try client.get(backend.url + path).status == 200) }
            try Patience.poll("lines are counted as lost") { try running.metric(dropped) >= 30 ? () : nil }
            let log = directory.file("access.log")
            #expect(TemporaryDirectory.read(log).utf8.count == size)
            try #require(truncate(log, 0) == 0)
            #expect(try client.get("\(backend.url)/after").status == 200)
            let line = try Patience.poll("a line is written") { () -> String? in
                let text = TemporaryDirectory.read(log)
                return text.hasSuffix("\n") ? text.split(separator: "\n").last.map(String.init) : nil
            }
            #expect(try JSON(line)["target"]?.string?.hasSuffix("/after") == true)
        }
    }

    @Test("A reader that stalls loses lines, which are counted, but stops no request; it then gets whole lines")
    func stalledReader() throws {
        let directory = try TemporaryDirectory()
        defer { directory.remove() }
        let pipe = directory.file("pipe")
        try #require(mkfifo(pipe, 0o600) == 0)
        // Open for both, so that the program's own open finds a reader.
        let reader = open(pipe, O_RDWR | O_NONBLOCK | O_CLOEXEC)
        defer { close(reader) }
        try withExecutable(Layout(accessLog: pipe)) { running, backend, _ in
            let client = try running.client()
            defer { client.close() }
            // Five megabytes of lines, more than the program holds for a reader.
            let path = "/" + String(repeating: "p", count: 50_000)
            for _ in 0..<110 { #expect(try client.get(backend.url + path).status == 200) }
            try Patience.poll("lines are counted as lost") { try running.metric(dropped) > 0 ? () : nil }
            // The reader takes up its work.
            var text: [UInt8] = []
            func read() {
                var bytes = [UInt8](repeating: 0, count: 65536)
                let count = Glibc.read(reader, &bytes, bytes.count)
                if count > 0 { text += bytes[..<count] }
            }
            try Patience.poll("what waited is read") { () -> Void? in
                read()
                return text.count > 4_000_000 ? () : nil
            }
            #expect(try client.get("\(backend.url)/after").status == 200)
            try Patience.poll("a new line comes") { () -> Void? in
                read()
                return text.suffix(300).contains(Array("/after".utf8)) && text.last == 10 ? () : nil
            }
            let lines = text.split(separator: 10)
            for line in lines { _ = try JSON(String(decoding: line, as: UTF8.self)) }
            let lost = try running.metric(dropped)
            #expect(Double(lines.count) + lost == 111)
        }
    }
}
