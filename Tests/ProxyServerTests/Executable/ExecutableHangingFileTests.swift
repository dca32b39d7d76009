import Glibc
import Support
import Testing

@Suite("The program and a file system that hangs")
struct ExecutableHangingFileTests {
    /// Runs `body` while the program's start waits for its access log, which the lease keeps from being opened.
    private func withWaitingStart(_ body: (ChildProcess, FileLease, _ log: String) throws -> Void) throws {
        let directory = try TemporaryDirectory()
        defer { directory.remove() }
        // What only reads does not wait for the lease, as it opens files without blocking.
        let log = try directory.write("", to: "access.log")
        let file = try directory.write(
            "listeners: [{ address: 127.0.0.1:0 }]\naccessLog: { path: \(log) }\n"
                + "routes: [{ match: { host: h.test }, upstream: \"http://127.0.0.1:9\" }]\n", to: "attache.yaml")
        let lease = try FileLease(log)
        let process = try ChildProcess(ExecutableUnderTest.path, ["run", "--config", file], in: directory)
        defer { process.kill() }
        try Patience.poll("the file is named") { process.errors.contains("still waiting for a file") ? () : nil }
        try body(process, lease, log)
    }

    @Test("It names the file that its start waits for, and continues when it can be opened")
    func start() throws {
        try withWaitingStart { process, lease, log in
            #expect(process.errors.contains("\"file\":\"\(log)\""), "\(process.errors)")
            #expect(!process.errors.contains("listening"))
            lease.end()
            try Patience.poll("it listens") { process.errors.contains("\"listening\"") ? () : nil }
            process.signal(SIGTERM)
            #expect(try process.waitForEnd() == .exited(0))
            #expect(process.errors.split(separator: "\n").count { $0.contains("still waiting") } == 1)
        }
    }

    @Test("SIGHUP and SIGUSR1 during the start do not end it, and have their effect after it")
    func signals() throws {
        try withWaitingStart { process, lease, _ in
            process.signal(SIGUSR1)
            process.signal(SIGHUP)
            lease.end()
            try Patience.poll("the log is opened again for each") {
                process.errors.split(separator: "\n").count { $0.contains("access log reopened") } == 2 ? () : nil
            }
            try Patience.poll("it reloads") { process.errors.contains("configuration reloaded") ? () : nil }
            process.signal(SIGTERM)
            #expect(try process.waitForEnd() == .exited(0))
        }
    }
}
