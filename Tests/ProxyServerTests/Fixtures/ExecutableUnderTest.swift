import Glibc
import Support

/// The built program, found beside the test bundle.
enum ExecutableUnderTest {
    /// The exit code of a program whose port is another's.
    static let portInUse: Int32 = 3

    static let path: String = {
        let own = read(link: "/proc/self/exe")
        // `--test-bundle-path` names the bundle when a helper of the package manager runs it.
        let arguments = CommandLine.arguments
        let bundle = arguments.firstIndex(of: "--test-bundle-path").map { arguments[$0 + 1] }
        for candidate in [own, bundle].compactMap(\.self) {
            var directory = candidate.split(separator: "/", omittingEmptySubsequences: false).dropLast()
            while !directory.isEmpty {
                let path = directory.joined(separator: "/") + "/attache"
                if access(path, X_OK) == 0,
                    directory.contains(".build") || directory.contains(where: { $0.hasSuffix("-gnu") })
                {
                    return path
                }
                directory = directory.dropLast()
            }
        }
        return "attache beside \(own) was not built"
    }()

    private static func read(link: String) -> String {
        var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
        let count = readlink(link, &buffer, buffer.count)
        return String(decoding: buffer[..<max(count, 0)].map(UInt8.init(bitPattern:)), as: UTF8.self)
    }
}

/// A proxy that runs as a program of its own, from a configuration file.
///
/// Whoever starts one ends it with `kill`.
struct RunningExecutable: Sendable {
    let process: ChildProcess
    let port: UInt16
    let adminPort: UInt16

    /// Starts the program on free ports and waits until it answers; `limits` are options of the shell's `ulimit`, such as
    /// `-n 40`, and `redirections` are the shell's too.
    init(
        _ layout: Layout, backend: ScriptedServer, tokens: FakeTokenEndpoint, in directory: TemporaryDirectory,
        limits: [String], redirections: String
    ) throws {
        // A free port may be another program's by the time that this one takes it.
        for _ in 0..<10 {
            let listeners = [try ListeningSocket(), try ListeningSocket()]
            for listener in listeners { listener.close() }
            let (port, adminPort) = (listeners[0].port, listeners[1].port)
            let yaml = layout.yaml(backendPort: backend.port, tokenURL: tokens.url, directory: directory.path)
                .replacing("  - { address: 127.0.0.1:0 }", with: "  - { address: 127.0.0.1:\(port) }")
                .replacing("admin: { address: 127.0.0.1:0 }", with: "admin: { address: 127.0.0.1:\(adminPort) }")
            _ = try directory.write(yaml, to: "attache.yaml")
            let limit = limits.map { "ulimit \($0); " }.joined()
            // Of a process without core dumps, /proc shows its descriptors to root only. The path is relative, because other
            // tests change the folders above, which the program watches.
            let process = try ChildProcess(
                "/bin/sh",
                [
                    "-c",
                    "\(limit)cd \"$1\" && exec \"$0\" run --allow-core-dumps --config attache.yaml \(redirections)",
                    ExecutableUnderTest.path, directory.path,
                ],
                in: directory)
            do {
                let isReady = try Patience.poll("the program is ready") { () -> Bool? in
                    guard process.isRunning else { return false }
                    guard Self.listens(process, adminPort), Self.listens(process, port) else { return nil }
                    return (try? Self.admin(adminPort, "/readyz"))?.status == 200 ? true : nil
                }
                if isReady {
                    (self.process, self.port, self.adminPort) = (process, port, adminPort)
                    return
                }
                guard try process.waitForEnd() == .exited(ExecutableUnderTest.portInUse) else {
                    throw PatienceExhausted("the program ended: \(process.errors)")
                }
            } catch {
                process.kill()
                throw error
            }
        }
        throw PatienceExhausted("no port stayed free")
    }

    /// Whether it is this program that listens there.
    private static func listens(_ process: ChildProcess, _ port: UInt16) -> Bool {
        let hexadecimal = String(port, radix: 16, uppercase: true)
        let place = "0100007F:" + String(repeating: "0", count: 4 - hexadecimal.count) + hexadecimal
        let sockets = Set(process.descriptors)
        return TemporaryDirectory.read("/proc/net/tcp").split(separator: "\n").contains { line in
            let columns = line.split(separator: " ")
            return columns.count > 9 && columns[1] == place && columns[3] == "0A"
                && sockets.contains { $0.contains("socket:[\(columns[9])]") }
        }
    }

    func client(receiveBuffer: Int32? = nil) throws -> RawClient {
        try RawClient(port: port, receiveBuffer: receiveBuffer)
    }

    func admin(_ path: String) throws -> ReceivedResponse {
        try Self.admin(adminPort, path)
    }

    /// The value of a metric without labels, or with these as they are written.
    func metric(_ name: String) throws -> Double {
        let lines = try admin("/metrics").text.split(separator: "\n")
        let line = lines.first { $0.hasPrefix("\(name) ") }
        return line.flatMap { $0.split(separator: " ").last }.flatMap { Double($0) } ?? .nan
    }

    private static func admin(_ port: UInt16, _ path: String) throws -> ReceivedResponse {
        let client = try RawClient(port: port)
        defer { client.close() }
        return try client.exchange("GET \(path) HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
    }
}

/// Runs a test's body with the program between its token endpoint and one backend.
func withExecutable(
    _ layout: Layout = Layout(), limits: [String] = [], redirections: String = "",
    tokens: FakeTokenEndpoint.Answer = .token(expiresIn: "3600"),
    backend script: @escaping ScriptedServer.Script = Scripts.ok,
    _ body: (RunningExecutable, ScriptedServer, TemporaryDirectory) throws -> Void
) throws {
    let directory = try TemporaryDirectory()
    defer { directory.remove() }
    let tokens = try FakeTokenEndpoint(then: tokens)
    defer { tokens.stop() }
    let backend = try ScriptedServer(script)
    defer { backend.stop() }
    let running = try RunningExecutable(
        layout, backend: backend, tokens: tokens, in: directory, limits: limits, redirections: redirections)
    defer { running.process.kill() }
    try body(running, backend, directory)
}
