import Support
import Testing

/// An app that sends requests ahead and does not read, so that the answer to the first is still queued in the proxy when the
/// backend refuses the second.
struct LateReader: Sendable {
    private static let large = String(repeating: "x", count: 20_000)

    private let isRefused = Gate("a request was refused")

    /// Answers each request, but the second as `refuse` does, which then ends the connection.
    func backend(refusing refuse: @escaping @Sendable (ScriptedConnection) throws -> Void) -> ScriptedServer.Script {
        let refusals = Monitor(0)
        return { connection in
            while let request = try connection.request() {
                let isFirst = refusals.access { count in
                    if request.target == "/refused" { count += 1 }
                    return request.target == "/refused" && count == 1
                }
                if isFirst {
                    isRefused.open()
                    return try refuse(connection)
                }
                try connection.send(Scripts.response(request.target == "/large" ? Self.large : request.target))
            }
        }
    }

    /// Sends three requests at once, and waits until the second has come to the backend.
    func client(in scene: Scene) throws -> RawClient {
        let client = try scene.client(receiveBuffer: 4096)
        #expect(try client.get("\(scene.url)/").status == 200)
        KernelBuffers.shrinkSending(toPort: client.port)
        try client.send(
            ["/large", "/refused", "/after"].map { "GET \(scene.url)\($0) HTTP/1.1\r\nHost: x\r\n\r\n" }.joined())
        try isRefused.wait()
        return client
    }

    /// Reads the first answer, and sees to it that the proxy has noticed.
    func catchUp(_ client: RawClient, in scene: Scene) throws {
        #expect(KernelQueues.bytes(toPort: client.port) < Self.large.utf8.count)
        #expect(try client.response().text == Self.large)
        // Each takes the loop around.
        for _ in 0..<3 {
            let other = try scene.client()
            defer { other.close() }
            try expectOwnAnswer(other.get("http://denied.example/"), 403)
        }
    }
}
