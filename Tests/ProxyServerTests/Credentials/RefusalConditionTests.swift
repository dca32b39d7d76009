import Support
import Testing

/// Refusals that the route describes by conditions, as CouchDB's are: 400 with a reason in the body, 401 for Basic alone.
@Suite("A refusal by conditions")
struct RefusalConditionTests {
    private static let rule = """
        refreshOn: [{ status: 401 }, { status: 400, contains: Unknown kid }, { status: 403, field: X-Error, contains: old }]
        """
    private static let layout = Layout(route: [rule])
    private static let json = #"{"error":"bad_request","reason":"Unknown kid"}"#

    /// Refuses the first token with these bytes, and echoes what comes with another.
    private static func refusing(_ refusal: @escaping @Sendable (ScriptedConnection) throws -> Void)
        -> ScriptedServer.Script
    {
        { connection in
            while let request = try connection.request() {
                if request.fields["Authorization"]?.hasPrefix("Bearer canary-1") == true {
                    try refusal(connection)
                } else {
                    try connection.send(Scripts.response(request.text))
                }
            }
        }
    }

    private static func chunked(_ body: String, by size: Int) -> [String] {
        let pieces = stride(from: 0, to: body.utf8.count, by: size).map { body.dropFirst($0).prefix(size) }
        return ["HTTP/1.1 400 Bad\r\nTransfer-Encoding: chunked\r\n\r\n"]
            + pieces.map { "\(String($0.utf8.count, radix: 16))\r\n\($0)\r\n" } + ["0\r\n\r\n"]
    }

    /// Responses that refuse the token, in the pieces in which they come.
    private static let refusals: [[String]] = [
        ["HTTP/1.1 401 No\r\nWWW-Authenticate: Basic realm=\"x\"\r\nContent-Length: 0\r\n\r\n"],
        ["HTTP/1.1 403 No\r\nX-Error: too old\r\nContent-Length: 0\r\n\r\n"],
        [Scripts.response(json, status: "400 Bad")],
        Scripts.response(json, status: "400 Bad").map { "\($0)" },
        chunked(json, by: 1), chunked(String(repeating: "x", count: 1000) + "Unknown kid", by: 300),
        // It is not whole, and has said enough.
        ["HTTP/1.1 400 Bad\r\nContent-Length: 100000\r\n\r\n", json],
    ]

    @Test("The request is sent again once with its body, however the refusal arrives", arguments: refusals)
    func replaced(_ refusal: [String]) throws {
        let script = Self.refusing { connection in for piece in refusal { try connection.send(piece) } }
        try withScene(Self.layout, backend: script) { scene in
            let client = try scene.client()
            defer { client.close() }
            let response = try client.exchange(
                "POST \(scene.url)/ HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\n\r\nbody")
            #expect(response.status == 200)
            #expect(response.text == "body")
            #expect(try client.get("\(scene.url)/").status == 200)
            #expect(scene.tokens.requests.count == 2)
        }
    }

    /// Responses that refuse nothing, in the pieces in which they come, with their body.
    private static let others: [(pieces: [String], body: String)] = [
        ([Scripts.response("", status: "400 Bad")], ""), ([Scripts.response("no", status: "400 Bad")], "no"),
        (Scripts.response("unknown KID", status: "400 Bad").map { "\($0)" }, "unknown KID"),
        ([Scripts.response(json, status: "404 No")], json), ([Scripts.response(json)], json),
        (
            chunked(String(repeating: "x", count: 1020) + "Unknown kid", by: 100),
            String(repeating: "x", count: 1020) + "Unknown kid"
        ),
        (
            [Scripts.response(String(repeating: "x", count: 100_000) + "Unknown kid", status: "400 Bad")],
            String(repeating: "x", count: 100_000) + "Unknown kid"
        ),
    ]

    @Test("Every other response is passed on unchanged, on connections that stay open", arguments: others.indices)
    func passed(_ index: Int) throws {
        let (pieces, body) = Self.others[index]
        let script = Self.refusing { connection in for piece in pieces { try connection.send(piece) } }
        try withScene(Self.layout, backend: script) { scene in
            let client = try scene.client()
            defer { client.close() }
            for _ in 0..<2 { #expect(try client.get("\(scene.url)/").text == body) }
            #expect(scene.tokens.requests.count == 1)
            #expect(scene.backend.requests.map(\.connection) == [0, 0])
        }
    }

    @Test("A body that does not end is passed on after a KiB, while it continues")
    func endless() throws {
        let (begin, rest) = (Gate(), Gate())
        let script = Self.refusing { connection in
            try connection.send("HTTP/1.1 400 Bad\r\n\r\n" + String(repeating: "x", count: 1023))
            try begin.wait()
            try connection.send("y")
            try rest.wait()
            try connection.send("z")
            connection.receiveUntilEnd()
        }
        try withScene(Self.layout, backend: script) { scene in
            defer {
                begin.open()
                rest.open()
            }
            let client = try scene.client()
            defer { client.close() }
            try client.send("GET \(scene.url)/ HTTP/1.1\r\nHost: x\r\n\r\n")
            try scene.backend.wait("the request") { $0.requests.count == 1 }
            begin.open()
            #expect(try client.responseHead().status == 400)
            rest.open()
        }
    }

    @Test("The bytes so far are passed on after responseTimeout, and the rest follows")
    func silent() throws {
        let (half, rest) = (Gate("the first half was sent"), Gate())
        let script = Self.refusing { connection in
            try connection.send("HTTP/1.1 400 Bad\r\nContent-Length: 6\r\n\r\nabc")
            half.open()
            try rest.wait()
            try connection.send("def")
        }
        var layout = Self.layout
        layout.limits = ["responseTimeout: 10m", "streamIdleTimeout: 24h"]
        try withScene(layout, backend: script) { scene in
            defer { rest.open() }
            let client = try scene.client()
            defer { client.close() }
            try client.send("GET \(scene.url)/ HTTP/1.1\r\nHost: x\r\n\r\n")
            try half.wait()
            try Patience.poll("the proxy has read the first half") {
                KernelQueues.bytes(fromPort: scene.backend.port) == 0 ? () : nil
            }
            #expect(!client.socket.canReceive(within: .zero))
            try scene.proxy.pass(.seconds(660))
            let head = try client.responseHead()
            #expect(head.status == 400)
            rest.open()
            #expect(try client.body(of: head) == Array("abcdef".utf8))
        }
    }

    @Test("A body that is cut is passed on as far as it came, and is cut for the app too", arguments: [true, false])
    func cut(resets: Bool) throws {
        let script: ScriptedServer.Script = { connection in
            _ = try connection.request()
            try connection.send("HTTP/1.1 400 Bad\r\nContent-Length: 6\r\n\r\nabc")
            if resets { connection.reset() }
        }
        try withScene(Self.layout, backend: script) { scene in
            let client = try scene.client()
            defer { client.close() }
            try client.send("GET \(scene.url)/ HTTP/1.1\r\nHost: x\r\n\r\n")
            // A reset may overtake what was sent before it.
            guard let head = try? client.responseHead(), head.status == 400 else {
                #expect(resets)
                return
            }
            #expect(throws: (any Error).self) { try client.body(of: head) }
        }
    }

    @Test("A body that ends with its connection is searched to its end", arguments: ["no", json])
    func untilClose(body: String) throws {
        let script: ScriptedServer.Script = { connection in
            while let request = try connection.request() {
                guard request.fields["Authorization"]?.hasPrefix("Bearer canary-1") == true else {
                    try connection.send(Scripts.response("fine"))
                    continue
                }
                try connection.send("HTTP/1.1 400 Bad\r\n\r\n" + body)
                return
            }
        }
        try withScene(Self.layout, backend: script) { scene in
            let response = try scene.get("/")
            #expect(response.text == (body == "no" ? "no" : "fine"))
        }
    }

    @Test("A backend that keeps refusing gets one repetition and causes one fetch in ten seconds")
    func refusedForEver() throws {
        let script = ScriptedServer.answering { _ in Scripts.response(Self.json, status: "400 Bad") }
        try withScene(Self.layout, backend: script) { scene in
            for _ in 0..<5 {
                let response = try scene.get("/")
                #expect(response.text == Self.json)
            }
            #expect(scene.tokens.requests.count == 2)
            #expect(scene.backend.requests.count == 6)
        }
    }
}
