import Glibc
import Support
import Testing

@Suite("The program and a refresh token that is replaced each time", .serialized)
struct ExecutableRotationTests {
    /// A token server that takes no refresh token older than the last one that was used: who has lost what followed that one
    /// is locked out for good.
    private final class Server: Sendable {
        private struct State {
            var given = 0
            var used = 0
            var refused: [String] = []
        }

        private let state: Monitor<State>
        let scripted: ScriptedServer

        init() throws {
            let state = Monitor(State())
            self.state = state
            scripted = try ScriptedServer(
                ScriptedServer.answering { request in
                    let sent = request.text.split(separator: "&").first { $0.hasPrefix("refresh_token=r") }
                    let next = state.access { state -> Int? in
                        guard let number = sent.flatMap({ Int($0.dropFirst(15)) }), number >= state.used else {
                            state.refused.append(request.text)
                            return nil
                        }
                        state.used = number
                        state.given += 1
                        return state.given
                    }
                    guard let next else {
                        return Scripts.response("{\"error\":\"invalid_grant\"}", status: "400 Bad Request")
                    }
                    return Scripts.response(
                        "{\"access_token\":\"t\(next)\",\"expires_in\":1,\"refresh_token\":\"r\(next)\"}")
                })
        }

        var given: Int { state.access { $0.given } }
        /// The refresh tokens that are still good for something.
        var good: [String] { state.access { state in (state.used...state.given).map { "r\($0)" } } }
        var refused: [String] { state.access { $0.refused } }
    }

    @Test("Killed at any moment, it has left a refresh token in the file that the server still accepts")
    func killed() throws {
        let server = try Server()
        defer { server.scripted.stop() }
        let directory = try TemporaryDirectory()
        defer { directory.remove() }
        let token = try directory.write("r0", to: "refresh-token")
        chmod(token, 0o600)
        let yaml = try directory.write(Self.yaml(server.scripted, token), to: "attache.yaml")
        for round in 0..<12 {
            let before = server.given
            let process = try ChildProcess(ExecutableUnderTest.path, ["run", "--config", yaml], in: directory)
            // Sometimes with its first answer, sometimes later, and not long after an answer: while it is being written.
            try Patience.poll("an answer of the token server") { () -> Void? in
                guard process.isRunning else { throw PatienceExhausted("the program ended: \(process.errors)") }
                return server.given > before + round % 2 ? () : nil
            }
            process.kill()
            // What the program had sent is answered, whether or not it lives.
            try server.scripted.waitUntilAllClosed()
            let held = TemporaryDirectory.read(token)
            #expect(server.good.contains(held), "the file holds \(held)")
            var attributes = stat()
            #expect(stat(token, &attributes) == 0 && attributes.st_mode & 0o777 == 0o600)
        }
        #expect(server.refused == [])
    }

    @Test(
        "Stopped while the token server has its refresh token, it waits for the next one and writes it, whatever signal follows",
        arguments: [[SIGTERM], [SIGTERM, SIGTERM], [SIGTERM, SIGINT], [SIGTERM, SIGHUP], [SIGINT, SIGTERM, SIGINT]])
    func ended(by signals: [Int32]) throws {
        let gate = Gate("the token server may answer")
        let server = try ScriptedServer(
            ScriptedServer.answering { _ in
                try? gate.wait()
                return Scripts.response(#"{"access_token":"t1","expires_in":3600,"refresh_token":"r1"}"#)
            })
        let directory = try TemporaryDirectory()
        defer {
            gate.open()
            server.stop()
            directory.remove()
        }
        let token = try directory.write("r0", to: "refresh-token")
        let yaml = try directory.write(Self.yaml(server, token), to: "attache.yaml")
        let process = try ChildProcess(ExecutableUnderTest.path, ["run", "--config", yaml], in: directory)
        defer { process.kill() }
        try server.wait("the refresh token is sent") { $0.requests.count == 1 }
        for (count, signal) in signals.enumerated() {
            process.signal(signal)
            // It has no reason to linger but this one, and says nothing; so the answer comes when it may have ended.
            try Patience.poll("it is told") { () -> Void? in
                guard process.isRunning else { throw PatienceExhausted("the program ended: \(process.errors)") }
                return Self.signalsTold(process) > count ? () : nil
            }
        }
        gate.open()
        #expect(try process.waitForEnd() == .exited(0))
        #expect(TemporaryDirectory.read(token) == "r1")
    }

    /// How many lines of its log tell of a signal.
    private static func signalsTold(_ process: ChildProcess) -> Int {
        process.errors.split(separator: "\n").count { $0.contains("drain") || $0.contains("SIGHUP") }
    }

    private static func yaml(_ server: ScriptedServer, _ token: String) -> String {
        """
        listeners: [{ address: 127.0.0.1:0 }]
        accessLog: { path: off }
        credentials:
          main: { type: refreshToken, tokenUrl: "\(server.url)/token", clientId: c, clientAuthentication: none,
                  refreshToken: { file: \(token) } }
        routes: [{ match: { host: backend.test }, credential: main }]
        """
    }
}
