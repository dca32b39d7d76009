import Support
import Testing

/// How long a backend may be silent: before its response's head by one limit, inside the body by another.
@Suite("Timeouts of backends")
struct BackendTimeoutTests {
    /// Answers `/feed` with a head at once and the body when the gate opens, `/cut` with half a body, and `/silent` never.
    private static func feed(_ gate: Gate) -> ScriptedServer.Script {
        { connection in
            while let request = try connection.request() {
                switch request.target {
                case "/feed":
                    try connection.send("HTTP/1.1 200 OK\r\nContent-Length: 8\r\n\r\nfour")
                    try gate.wait()
                    try connection.send("more")
                case "/late":
                    try gate.wait()
                    try connection.send(Scripts.response("late"))
                case "/cut":
                    try connection.send("HTTP/1.1 200 OK\r\nContent-Length: 8\r\n\r\nfour")
                    connection.receiveUntilEnd()
                default: connection.receiveUntilEnd()
                }
            }
        }
    }

    @Test(
        "A backend that sends no head causes a 504 that names the limit, the route's before the general one",
        arguments: [
            (["limits: { responseTimeout: 100ms }"], [], "0.1 seconds (limits.responseTimeout)"),
            (
                ["limits: { responseTimeout: 10m }"], ["timeouts: { response: 150ms }"],
                "0.15 seconds (timeouts.response of its route)"
            ),
        ])
    func silent(top: [String], route: [String], limit: String) throws {
        try withScene(Layout(route: route, top: top), backend: Scripts.silent) { scene in
            let response = try scene.get()
            try expectOwnAnswer(response, 504)
            #expect(response.text.contains("did not answer within \(limit)"))
            try scene.backend.waitUntilAllClosed()
            #expect(scene.backend.requests.count == 1)
        }
    }

    @Test(
        "A response that stops inside its body is cut, and the access log names the limit",
        arguments: [
            (["limits: { streamIdleTimeout: 100ms }"], [], "0.1 seconds (limits.streamIdleTimeout)"),
            (
                ["limits: { streamIdleTimeout: 10m }"], ["timeouts: { streamIdle: 150ms }"],
                "0.15 seconds (timeouts.streamIdle of its route)"
            ),
        ])
    func stopsInBody(top: [String], route: [String], limit: String) throws {
        try withScene(Layout(route: route, top: top), backend: Self.feed(Gate())) { scene in
            #expect(throws: (any Error).self) { try scene.get("/cut") }
            try scene.backend.waitUntilAllClosed()
            let line = try #require(try scene.accessLog(1).first)
            #expect(line.contains("sent nothing more of its response for \(limit)"), "\(line)")
            #expect(line.contains("\"source\":\"upstream\""))
        }
    }

    @Test("The log distinguishes a reader that stops from a backend that stops")
    func stoppedReader() throws {
        let body = String(repeating: "x", count: 16 << 20)
        let script = ScriptedServer.answering { _ in Scripts.response(body) }
        try withScene(Layout(limits: ["idleTimeout: 200ms"]), backend: script) { scene in
            let client = try scene.client(receiveBuffer: 4096)
            defer { client.close() }
            try client.send("GET \(scene.url)/ HTTP/1.1\r\nHost: x\r\n\r\n")
            let line = try #require(try scene.accessLog(1).first)
            #expect(
                line.contains("The app read nothing of its response for 0.2 seconds (limits.idleTimeout)"), "\(line)")
            #expect(line.contains("\"source\":\"downstream\""))
        }
    }

    @Test("A body that is silent for longer than responseTimeout continues, as in feeds")
    func feed() throws {
        let gate = Gate()
        let limits = ["responseTimeout: 100ms", "streamIdleTimeout: 10m"]
        try withScene(Layout(limits: limits), backend: Self.feed(gate)) { scene in
            defer { gate.open() }
            let client = try scene.client()
            defer { client.close() }
            try client.send("GET \(scene.url)/feed HTTP/1.1\r\nHost: x\r\n\r\n")
            let head = try client.responseHead()
            // Each of these takes responseTimeout.
            for _ in 0..<3 { #expect(try scene.get("/silent").status == 504) }
            gate.open()
            #expect(try client.body(of: head) == Array("fourmore".utf8))
        }
    }

    @Test("A head that comes later than streamIdleTimeout is passed on, as in long polls")
    func longPoll() throws {
        let gate = Gate()
        let limits = ["responseTimeout: 10m", "streamIdleTimeout: 100ms"]
        try withScene(Layout(limits: limits), backend: Self.feed(gate)) { scene in
            defer { gate.open() }
            let client = try scene.client()
            defer { client.close() }
            try client.send("GET \(scene.url)/late HTTP/1.1\r\nHost: x\r\n\r\n")
            // Each of these takes streamIdleTimeout.
            for _ in 0..<3 { #expect(throws: (any Error).self) { try scene.get("/cut") } }
            gate.open()
            #expect(try client.response().text == "late")
        }
    }
}
