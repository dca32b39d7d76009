import Support
import Testing

/// A backend that ends or breaks off wherever it can, as both ends see it.
@Suite("A backend that leaves in any phase")
struct BackendPhaseTests {
    /// What it has sent when it leaves, and what that is for the app.
    struct Phase: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let sent: String
        let outcome: Outcome

        init(_ name: String, _ sent: String, _ outcome: Outcome) {
            testDescription = name
            self.sent = sent
            self.outcome = outcome
        }

        enum Outcome: Sendable {
            /// Nothing of a response has gone out: our own 502.
            case refused
            /// The response was cut, and must not look whole.
            case cut
            /// An orderly end is the end of the response, a reset is a cut.
            case endsByClose
        }

        static let all = [
            Phase("before any byte", "", .refused),
            Phase("inside the status line", "HTTP/1.1 20", .refused),
            Phase("inside the head", "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n", .refused),
            Phase("after an interim response", "HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n", .refused),
            Phase("before the body", "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n", .cut),
            Phase("inside the body", "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhell", .cut),
            Phase("before the first chunk", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", .cut),
            Phase("inside a chunk's size", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5", .cut),
            Phase("inside a chunk", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhell", .cut),
            Phase("behind a chunk", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n", .cut),
            Phase(
                "inside the trailers",
                "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\nX: y\r\n", .cut),
            Phase("inside a body that ends with the connection", "HTTP/1.1 200 OK\r\n\r\nhello", .endsByClose),
        ]
    }

    @Test(
        "A cut response looks cut, one that never began is a 502, and other requests are served",
        arguments: Phase.all, [true, false])
    func leaves(_ phase: Phase, _ byReset: Bool) throws {
        let received = Gate("the app has what there is")
        let script: ScriptedServer.Script = { connection in
            guard try connection.request()?.target == "/" else { return try connection.send(Scripts.response("next")) }
            try connection.send(phase.sent)
            // A reset overtakes bytes that nobody has read.
            if byReset, phase.outcome != .refused { try received.wait() }
            if byReset { connection.reset() }
        }
        try withScene(backend: script) { scene in
            let client = try scene.client()
            defer { client.close() }
            try client.send("GET \(scene.url)/ HTTP/1.1\r\nHost: x\r\n\r\n")
            defer { received.open() }
            var response = try client.responseHead()
            if response.status == 103 { response = try client.responseHead() }
            switch phase.outcome {
            case .refused: #expect(response.status == 502 && response.fields["Proxy-Status"] != nil, "\(response)")
            case .cut:
                #expect(response.status == 200)
                received.open()
                #expect(throws: (any Error).self) { try Self.body(client, response) }
            case .endsByClose:
                #expect(response.status == 200 && response.framing == .chunked)
                received.open()
                if byReset {
                    #expect(throws: (any Error).self) { try Self.body(client, response) }
                } else {
                    #expect(try Self.body(client, response) == "hello")
                }
            }
            #expect(try scene.get("/next").text == "next")
            #expect(scene.backend.heads.count { $0.target == "/" } == 1)
        }
    }

    /// The content; throws where it is not whole.
    private static func body(_ client: RawClient, _ response: ReceivedResponse) throws -> String {
        String(decoding: try client.body(of: response), as: UTF8.self)
    }
}
