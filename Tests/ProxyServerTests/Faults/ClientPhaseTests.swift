import Support
import Testing

/// A client that ends or breaks off wherever it can, as both ends see it.
@Suite("A client that leaves in any phase")
struct ClientPhaseTests {
    /// How far the exchange is when the client leaves.
    enum Phase: CaseIterable {
        case beforeAnyByte
        case insideRequestLine
        case insideHead
        case afterHead
        case insideBody
        case insideChunk
        case beforeLastChunk
        case whileTokenIsFetched
        case whileBackendIsSilent
        case insideResponseHead
        case insideResponse
        case betweenRequests
        case insidePipelinedHead

        /// What it has sent by then.
        var sent: String {
            let head = "POST {url}/ HTTP/1.1\r\nHost: x\r\n"
            let whole = "GET {url}/ HTTP/1.1\r\nHost: x\r\n\r\n"
            return switch self {
            case .beforeAnyByte: ""
            case .insideRequestLine: "GET {url}"
            case .insideHead: head
            case .afterHead: head + "Content-Length: 10\r\n\r\n"
            case .insideBody: head + "Content-Length: 10\r\n\r\nhello"
            case .insideChunk: head + "Transfer-Encoding: chunked\r\n\r\na\r\nhello"
            case .beforeLastChunk: head + "Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n"
            case .whileTokenIsFetched, .whileBackendIsSilent, .insideResponseHead, .insideResponse, .betweenRequests:
                whole
            case .insidePipelinedHead: whole + "GET {url}/second HTTP/1.1\r\nHost: x"
            }
        }

        /// What the backend has sent by then.
        var answered: String {
            switch self {
            case .insideResponseHead: "HTTP/1.1 200 OK\r\nContent-"
            case .insideResponse: "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhello"
            case .betweenRequests, .insidePipelinedHead: Scripts.response("ok")
            default: ""
            }
        }

        var reachesBackend: Bool {
            switch self {
            case .beforeAnyByte, .insideRequestLine, .insideHead, .whileTokenIsFetched: false
            default: true
            }
        }

        /// Whether the request has left whole, so that the backend may act on it.
        var isWhole: Bool {
            switch self {
            case .whileBackendIsSilent, .insideResponseHead, .insideResponse, .betweenRequests, .insidePipelinedHead:
                true
            default: false
            }
        }
    }

    enum Leaving: CaseIterable {
        case orderly
        case reset
    }

    @Test(
        "No incomplete request of it has an effect, and other clients are served",
        arguments: Phase.allCases, Leaving.allCases)
    func leaves(_ phase: Phase, _ leaving: Leaving) throws {
        let fetched = Gate("the token may be given")
        let script: ScriptedServer.Script = { connection in
            guard connection.number == 0, phase.reachesBackend else { return try Scripts.ok(connection) }
            guard let head = try connection.head() else { return }
            if head.framing == .none { try connection.send(phase.answered) }
            if phase == .betweenRequests || phase == .insidePipelinedHead { return try Scripts.ok(connection) }
            // The body, if there is one, may be cut; whatever comes is what the proxy let through.
            _ = try? connection.body(of: head)
            connection.receiveUntilEnd()
        }
        let held = FakeTokenEndpoint.Answer.held(fetched, .token(expiresIn: "3600"))
        try withScene(tokens: phase == .whileTokenIsFetched ? [held] : [], backend: script) { scene in
            defer { fetched.open() }
            let client = try scene.client()
            try client.send(phase.sent.replacing("{url}", with: scene.url))
            if phase.reachesBackend { try scene.backend.wait("the head is at the backend") { !$0.heads.isEmpty } }
            if phase == .whileTokenIsFetched { try scene.tokens.waitForRequests(1) }
            if phase == .betweenRequests || phase == .insidePipelinedHead {
                #expect(try client.response().status == 200)
            }
            if phase == .insideResponse { #expect(try client.responseHead().status == 200) }
            switch leaving {
            case .orderly: client.close()
            case .reset: client.reset()
            }
            fetched.open()
            if phase.reachesBackend, !phase.isWhole { try scene.backend.waitUntilAllClosed() }
            // Nothing of what it left behind is in the way of another client.
            #expect(try scene.get("/next").text == "/next")
            let targets = scene.backend.heads.map(\.target)
            // Whoever has only ended its sending side may still read, so what it asked by then is done: on a connection of
            // its own, so that either may be first.
            let isAsked = phase.reachesBackend || (phase == .whileTokenIsFetched && targets.contains("/"))
            #expect(targets.sorted() == (isAsked ? ["/", "/next"] : ["/next"]))
        }
    }
}
