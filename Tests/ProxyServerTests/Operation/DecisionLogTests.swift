import Logging
import Support
import Testing

@testable import ProxyServer

@Suite("The log at the level debug")
struct DecisionLogTests {
    /// The messages about one request, in their order.
    private func messages(_ scene: Scene, request number: Int) -> [String] {
        scene.proxy.log.text.split(separator: "\n").filter { $0.contains("\"request\": \(number)") }
            .map { line in String(line.dropFirst("debug ".count).prefix { $0 != "[" }.dropLast()) }
    }

    @Test("has a line for each decision about a request, and never a token or a query")
    func decisions() throws {
        let backend = ScriptedServer.answering { request in
            request.fields["Authorization"]?.hasPrefix("Bearer canary-1") == true
                ? Scripts.response(
                    "refused", status: "401 Unauthorized",
                    fields: "WWW-Authenticate: Bearer error=\"invalid_token\"\r\n")
                : Scripts.response("ok")
        }
        let gate = Gate("a request waits for the token")
        try withScene(tokens: [.held(gate, .token(expiresIn: "3600"))], backend: backend) { scene in
            let opener = BackgroundThread("that lets the token come") {
                try? scene.proxy.log.wait(for: "credential awaited")
                gate.open()
            }
            defer { try? opener.join() }
            let first = try scene.get("/first?secret=canary-query")
            #expect(first.status == 200)
            #expect(try scene.get("/second").status == 200)
            #expect(
                messages(scene, request: 1) == [
                    "request received", "route chosen", "credential awaited", "connection opened",
                    "credential attached", "token refused", "request sent again", "connection opened",
                    "credential attached",
                ])
            #expect(
                messages(scene, request: 2) == [
                    "request received", "route chosen", "connection reused", "credential attached",
                ])
            let text = scene.proxy.log.text
            for part in ["\"target\": \(scene.url)/first", "\"challenge\": invalid_token", "\"route\": main"] {
                #expect(text.contains(part), "no \(part) in \(text)")
            }
            for token in scene.tokens.tokens + ["canary-query", "canary-secret"] { #expect(!text.contains(token)) }
        }
    }

    @Test("has the codes of refusals, also of a request that cannot be parsed")
    func refusals() throws {
        try withScene { scene in
            let client = try scene.client()
            defer { client.close() }
            #expect(try client.get("http://elsewhere.example/").status == 403)
            try client.send("broken\r\n\r\n")
            #expect(try client.response(to: "GET").status == 400)
            #expect(messages(scene, request: 1) == ["request received", "request refused"])
            #expect(messages(scene, request: 2) == ["request refused"])
            for code in ["destination-denied", "malformed-request"] {
                #expect(scene.proxy.log.text.contains("\"code\": \(code)"))
            }
        }
    }

    @Test("says why a 401 leads to no other token", arguments: ["Bearer", "Bearer error=\"insufficient_scope\"", nil])
    func notCounted(challenge: String?) throws {
        let field = challenge.map { "WWW-Authenticate: \($0)\r\n" } ?? ""
        let backend = ScriptedServer.answering { _ in
            Scripts.response("no", status: "401 Unauthorized", fields: field)
        }
        try withScene(backend: backend) { scene in
            let response = try scene.get("/")
            #expect(response.status == 401)
            #expect(messages(scene, request: 1).filter { $0.hasPrefix("refusal") } == ["refusal not counted"])
            let text = scene.proxy.log.text
            #expect(text.contains("\"status\": 401") && text.contains("refreshOn of the route does not count it"))
        }
    }

    @Test("reports only once a 401 that another token did not prevent")
    func refusedTwice() throws {
        let backend = ScriptedServer.answering { _ in
            Scripts.response(
                "no", status: "401 Unauthorized", fields: "WWW-Authenticate: Bearer error=\"invalid_token\"\r\n")
        }
        try withScene(backend: backend) { scene in
            let response = try scene.get("/")
            #expect(response.status == 401)
            #expect(!messages(scene, request: 1).contains("refusal not counted"))
        }
    }

    @Test("calls an error that the app cannot change a failure and not a refusal")
    func failures() throws {
        let backend: ScriptedServer.Script = { connection in
            // Its end closes the connection.
            _ = try connection.request()
        }
        try withScene(backend: backend) { scene in
            let response = try scene.get("/")
            #expect(response.status == 502)
            #expect(messages(scene, request: 1).last == "request failed")
        }
    }

    @Test("exists at this level only", arguments: Logger.Level.allCases)
    func otherLevels(_ level: Logger.Level) {
        var log = CapturedLog()
        log.logLevel = level
        let isShown = level <= .debug
        #expect((DecisionLog(Logger(label: "test") { _ in log }) != nil) == isShown)
    }
}
