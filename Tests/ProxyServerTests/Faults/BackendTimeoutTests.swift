import Support
import Testing

/// How long a backend may be silent: before its response's head by one limit, inside the body by another.
@Suite("Timeouts of backends")
struct BackendTimeoutTests {
    /// Answers `/feed` with half of its response at once and the rest when the gate opens, `/cut` with a half, and `/late` late.
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
                default:
                    try connection.send("HTTP/1.1 200 OK\r\nContent-Length: 8\r\n\r\nfour")
                    connection.receiveUntilEnd()
                }
            }
        }
    }

    @Test(
        "A backend that sends no head causes a 504 that names the limit, the route's before the general one",
        arguments: [
            (["limits: { responseTimeout: 10m }"], [], "600 s (limits.responseTimeout)"),
            (
                ["limits: { responseTimeout: 1h }"], ["timeouts: { response: 11m }"],
                "660 s (timeouts.response of its route)"
            ),
        ])
    func silent(top: [String], route: [String], limit: String) throws {
        try withScene(Layout(route: route, top: top), backend: Scripts.silent) { scene in
            let client = try scene.client()
            defer { client.close() }
            try client.send("GET \(scene.url)/ HTTP/1.1\r\nHost: x\r\n\r\n")
            try scene.backend.wait("the request") { $0.requests.count == 1 }
            try scene.proxy.pass(.seconds(720))
            let response = try client.response()
            try expectOwnAnswer(response, 504)
            #expect(response.text.contains("did not answer within \(limit)"))
            try scene.backend.waitUntilAllClosed()
            #expect(scene.backend.requests.count == 1)
        }
    }

    @Test(
        "A response that stops inside its body is cut, and the access log names the limit",
        arguments: [
            (["limits: { streamIdleTimeout: 100ms }"], [], "100 ms (limits.streamIdleTimeout)"),
            (
                ["limits: { streamIdleTimeout: 10m }"], ["timeouts: { streamIdle: 150ms }"],
                "150 ms (timeouts.streamIdle of its route)"
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
        try withScene(Layout(limits: ["idleTimeout: 10m", "streamIdleTimeout: 24h"]), backend: script) { scene in
            let client = try scene.client(receiveBuffer: 4096)
            defer { client.close() }
            try client.send("GET \(scene.url)/ HTTP/1.1\r\nHost: x\r\n\r\n")
            #expect(try client.responseHead().status == 200)
            let line = try scene.pass(.seconds(660), whileBlockedUntil: "the connection is cut")
            #expect(
                line.contains("The app read nothing of its response for 600 s (limits.idleTimeout)"), "\(line)")
            #expect(line.contains("\"source\":\"downstream\""))
        }
    }

    @Test("A body that is silent for longer than responseTimeout continues, as in feeds")
    func feed() throws {
        let gate = Gate()
        let limits = ["responseTimeout: 10m", "streamIdleTimeout: 24h"]
        try withScene(Layout(limits: limits), backend: Self.feed(gate)) { scene in
            defer { gate.open() }
            let client = try scene.client()
            defer { client.close() }
            try client.send("GET \(scene.url)/feed HTTP/1.1\r\nHost: x\r\n\r\n")
            let head = try client.responseHead()
            for _ in 0..<3 { try scene.proxy.pass(.seconds(660)) }
            gate.open()
            #expect(try client.body(of: head) == Array("fourmore".utf8))
        }
    }

    @Test("A head that comes later than streamIdleTimeout is passed on, as in long polls")
    func longPoll() throws {
        let gate = Gate()
        let limits = ["responseTimeout: 24h", "streamIdleTimeout: 10m"]
        try withScene(Layout(limits: limits), backend: Self.feed(gate)) { scene in
            defer { gate.open() }
            let client = try scene.client()
            defer { client.close() }
            try client.send("GET \(scene.url)/late HTTP/1.1\r\nHost: x\r\n\r\n")
            try scene.backend.wait("the request") { !$0.requests.isEmpty }
            for _ in 0..<3 { try scene.proxy.pass(.seconds(660)) }
            gate.open()
            #expect(try client.response().text == "late")
        }
    }
}
