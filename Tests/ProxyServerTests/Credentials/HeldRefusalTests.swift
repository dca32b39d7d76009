import Support
import Testing

/// The backend's refusal of a token while another is fetched, and what may happen meanwhile.
@Suite("A refusal that is held back")
struct HeldRefusalTests {
    private static let refusal = "HTTP/1.1 401 No\r\nWWW-Authenticate: Bearer error=\"invalid_token\"\r\n"
    private static let counted = refusal + "Content-Length: 7\r\n\r\n"

    /// What comes of a refusal: at once, and when it is held back.
    struct Course: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let first: String
        let rest: String
        var resets = false

        static let all = [
            Course(testDescription: "its body comes later", first: counted, rest: "refused"),
            Course(testDescription: "the backend ends behind it", first: counted + "refused", rest: ""),
            Course(
                testDescription: "its body and the backend's end come later", first: refusal + "\r\n", rest: "refused"),
            Course(testDescription: "the backend resets behind it", first: counted + "refused", rest: "", resets: true),
        ]
    }

    @Test("stays held back if an app that sent requests ahead reads late", arguments: Course.all, [true, false])
    func lateReader(_ course: Course, _ isReplaced: Bool) throws {
        let (reader, rest, sent, token) = (LateReader(), Gate("the rest may come"), Gate("the rest came"), Gate())
        let script = reader.backend { connection in
            try connection.send(course.first)
            try rest.wait()
            try connection.send(course.rest)
            if course.resets { connection.reset() }
            sent.open()
        }
        let second: FakeTokenEndpoint.Answer = isReplaced ? .token(expiresIn: "3600") : .status(503, "")
        try withScene(tokens: [.token(expiresIn: "3600"), .held(token, second)], backend: script) { scene in
            defer {
                rest.open()
                token.open()
            }
            let client = try reader.client(in: scene)
            defer { client.close() }
            try scene.tokens.waitForRequests(2)
            rest.open()
            try sent.wait()
            try reader.catchUp(client, in: scene)
            token.open()
            let response = try client.response()
            #expect(response.status == (isReplaced ? 200 : 401))
            #expect(response.text == (isReplaced ? "/refused" : "refused"))
            #expect(try client.response().text == "/after")
        }
    }

    /// A backend that leaves most of a body unread when it refuses the token, once.
    private static func refusingEarly(_ rest: @escaping @Sendable (ScriptedConnection) throws -> Void)
        -> ScriptedServer.Script
    {
        let refusals = Monitor(0)
        return { connection in
            while let request = try connection.head() {
                let isFirst = refusals.access { count in
                    if request.method == "POST" { count += 1 }
                    return request.method == "POST" && count == 1
                }
                if isFirst {
                    try connection.send(counted)
                    return try rest(connection)
                }
                try connection.send(Scripts.response("\(try connection.body(of: request).count)"))
            }
        }
    }

    /// Sends a body of which some waits in the proxy until the backend reads on.
    private func post(_ scene: Scene) throws -> RawClient {
        KernelBuffers.shrinkReceiving(onPort: scene.backend.port)
        let client = try scene.client()
        #expect(try client.get("\(scene.url)/").status == 200)
        KernelBuffers.shrinkSending(toPort: scene.backend.port)
        try client.send(
            "POST \(scene.url)/ HTTP/1.1\r\nHost: x\r\nContent-Length: 25000\r\n\r\n"
                + String(repeating: "b", count: 25_000))
        return client
    }

    @Test("outlives its connection, which can no longer be written to", arguments: [true, false])
    func writeFails(_ isReplaced: Bool) throws {
        let (rest, token) = (Gate("the rest may come"), Gate())
        let script = Self.refusingEarly { connection in
            try rest.wait()
            try connection.send("refused")
            connection.reset()
        }
        let second: FakeTokenEndpoint.Answer = isReplaced ? .token(expiresIn: "3600") : .status(503, "")
        try withScene(tokens: [.token(expiresIn: "3600"), .held(token, second)], backend: script) { scene in
            defer {
                rest.open()
                token.open()
            }
            let client = try post(scene)
            defer { client.close() }
            try scene.tokens.waitForRequests(2)
            rest.open()
            try Patience.poll("the connection is given up") {
                try scene.proxy.admin("/metrics").text.contains("attache_connections{side=\"upstream\"} 0") ? () : nil
            }
            token.open()
            let response = try client.responseHead(to: "POST")
            #expect(response.status == (isReplaced ? 200 : 401))
            // A reset may overtake what was sent before it.
            let body = try? client.body(of: response)
            #expect(body == Array((isReplaced ? "25000" : "refused").utf8) || (body == nil && !isReplaced))
        }
    }

    @Test("is passed on after acquireTimeout, although the backend has taken the rest of the request meanwhile")
    func backendReadsOn() throws {
        let (rest, token) = (Gate("the rest may come"), Gate())
        let script = Self.refusingEarly { connection in
            try rest.wait()
            connection.receiveUntilEnd()
        }
        try withScene(
            Layout(limits: ["acquireTimeout: 10s", "responseTimeout: 10m"]),
            tokens: [.token(expiresIn: "3600"), .held(token, .token(expiresIn: "3600"))], then: .status(503, ""),
            backend: script
        ) { scene in
            defer {
                rest.open()
                token.open()
            }
            let client = try post(scene)
            defer { client.close() }
            try scene.tokens.waitForRequests(2)
            rest.open()
            try Patience.poll("the backend has taken the rest") {
                KernelQueues.bytes(toPort: scene.backend.port) == 0 ? () : nil
            }
            try scene.proxy.pass(.seconds(11))
            #expect(try client.responseHead(to: "POST").status == 401)
            // The token server had not lost its patience yet.
            token.open()
            try scene.tokens.waitForTokens(2)
        }
    }
}
