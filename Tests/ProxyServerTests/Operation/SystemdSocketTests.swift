import EventTransport
import Glibc
import ProxyConfiguration
import Support
import Testing

@testable import ProxyServer

@Suite("Listeners on sockets that systemd passes")
struct SystemdSocketTests {
    static func passed(_ sockets: [(name: String, socket: ListeningSocket)]) -> PassedSockets {
        let variables = [
            "LISTEN_PID": "\(getpid())", "LISTEN_FDS": "\(sockets.count)",
            "LISTEN_FDNAMES": sockets.map(\.name).joined(separator: ":"),
        ]
        // The copies are closed with the listeners.
        let copies = sockets.map { fcntl($0.socket.descriptor, F_DUPFD_CLOEXEC, 0) }
        return PassedSockets({ variables[$0] }, process: getpid(), descriptor: { copies[Int($0)] })
    }

    private static func configuration(_ yaml: String) throws -> Configuration {
        var flags = Flags()
        flags.configurationFile = TextFileReader.path
        return try Configuration.load(flags: flags, environment: [:], files: TextFileReader(text: yaml))
    }

    @Test("Several workers serve the sockets, and clients that connect meanwhile wait for the next process")
    func serve() throws {
        let backend = try ScriptedServer(Scripts.ok)
        defer { backend.stop() }
        let sockets = try [ListeningSocket(), ListeningSocket()]
        defer { for socket in sockets { socket.close() } }
        let configuration = try Self.configuration(
            """
            listeners: [{ address: systemd:gate, mode: gateway, route: main }, { address: systemd:proxy }]
            routes: [{ name: main, match: { host: 127.0.0.1, port: \(backend.port) }, upstream: "\(backend.url)" }]
            workers: 3
            accessLog: { path: off }
            """)
        for _ in 0..<2 {
            let waiting = try RawClient(port: sockets[1].port)
            defer { waiting.close() }
            try waiting.send("GET \(backend.url)/early HTTP/1.1\r\nHost: x\r\n\r\n")
            let passed = Self.passed([("gate", sockets[0]), ("proxy", sockets[1])])
            let proxy = try ProxyUnderTest(configuration: configuration, passed: passed)
            defer { proxy.stop() }
            #expect(proxy.ports == sockets.map(\.port))
            #expect(passed.untaken == [])
            #expect(try waiting.response().status == 200)
            let clients = try (0..<20).map { _ in try RawClient(port: sockets[0].port) }
            defer { for client in clients { client.close() } }
            for client in clients {
                #expect(try client.exchange("GET /gate HTTP/1.1\r\nHost: localhost\r\n\r\n").status == 200)
            }
        }
    }

    @Test("A socket that does not fit its listener ends the start")
    func unfit() throws {
        let socket = try ListeningSocket()
        defer { socket.close() }
        for (listener, message) in [
            ("{ address: systemd:other }", "systemd passed the sockets proxy"),
            ("{ address: systemd:proxy, allow: [{ user: 1 }] }", "systemd passed a TCP socket"),
            (
                "{ address: \"127.0.0.1:\(socket.port)\" }",
                "systemd passed the socket proxy for this address; write systemd:proxy"
            ),
        ] {
            let configuration = try Self.configuration("listeners: [\(listener)]\nunmatched: forward")
            let error = #expect(throws: StartError.self) {
                try ProxyUnderTest(configuration: configuration, passed: Self.passed([("proxy", socket)]))
            }
            #expect(error?.description.contains(message) == true, "\(error.map { "\($0)" } ?? "")")
        }
    }

    @Test("The program takes the sockets for its own process only")
    func program() throws {
        let directory = try TemporaryDirectory()
        defer { directory.remove() }
        let file = try directory.write("listeners: [{ address: systemd:proxy }]\nunmatched: forward\n", to: "a.yaml")
        for (process, message) in [("$$", "is not a listening stream socket"), ("1", "systemd passed no socket")] {
            let program = try ChildProcess(
                "/bin/sh",
                [
                    "-c",
                    "exec 3</dev/null; export LISTEN_PID=\(process) LISTEN_FDS=1 LISTEN_FDNAMES=proxy; "
                        + "exec \"$0\" run --config \"$1\"",
                    ExecutableUnderTest.path, file,
                ], in: directory)
            #expect(try program.waitForEnd() == .exited(2))
            #expect(program.errors.contains(message), "\(program.errors)")
        }
    }
}
