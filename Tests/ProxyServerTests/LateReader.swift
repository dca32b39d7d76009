import Support
import Testing

/// An app that sends requests ahead and does not read, until the backend of a scene has refused one.
///
/// The answer to the request before is still queued in the proxy then.
struct LateReader: Sendable {
    private struct State {
        /// Of the app's socket; 0 until it begins to send ahead.
        var port: UInt16 = 0
        /// How many bytes every answer is for the app.
        var answerSize = 0
        var answered = 0
        var hasRefused = false
    }

    private static let content = String(repeating: "x", count: 20_000)

    private let state = Monitor(State())

    /// Answers each request, but one as `refuse` does, which then ends the connection.
    func backend(refusing refuse: @escaping @Sendable (ScriptedConnection) throws -> Void) -> ScriptedServer.Script {
        { connection in
            while try connection.request() != nil {
                guard !isBehind else { return try refuse(connection) }
                try connection.send(Scripts.response(Self.content))
            }
        }
    }

    /// Whether the kernel has less of the answers than there are, for the first time; otherwise there is one more.
    private var isBehind: Bool {
        state.access { state in
            guard !state.hasRefused, state.port > 0 else { return false }
            state.hasRefused = KernelQueues.bytes(toPort: state.port) < state.answered * state.answerSize
            if !state.hasRefused { state.answered += 1 }
            return state.hasRefused
        }
    }

    /// Sends far more requests than the kernel has room for answers.
    func client(in scene: Scene) throws -> RawClient {
        let client = try scene.client(receiveBuffer: 4096)
        let get = "GET \(scene.url)/ HTTP/1.1\r\nHost: x\r\n\r\n"
        let size = try client.exchange(get).raw.count
        state.access {
            $0.answerSize = size
            $0.port = client.port
        }
        try client.send(String(repeating: get, count: 800))
        return client
    }

    /// Reads the answers to all requests before the refused one, and sees to it that the proxy has noticed.
    func catchUp(_ client: RawClient, in scene: Scene) throws {
        let count = state.access { $0.answered }
        for _ in 0..<count {
            guard try client.response().status == 200 else { throw MessageReader.CutShort(partial: []) }
        }
        // Each takes the loop around.
        for _ in 0..<3 {
            let other = try scene.client()
            defer { other.close() }
            try expectOwnAnswer(other.get("http://denied.example/"), 403)
        }
    }
}
