import EventTransport
import Support
import Testing

/// A proxy between its token endpoint and one backend, all alive for the length of one test.
struct Scene: Sendable {
    let backend: ScriptedServer
    let tokens: FakeTokenEndpoint
    let proxy: ProxyUnderTest
    let directory: TemporaryDirectory

    /// The backend's URL without a path, as an app names it.
    var url: String { backend.url }

    func client(receiveBuffer: Int32? = nil) throws -> RawClient {
        try proxy.client(receiveBuffer: receiveBuffer)
    }

    /// One GET on a connection of its own.
    func get(_ path: String = "/", fields: String = "", method: String = "GET") throws -> ReceivedResponse {
        let client = try client()
        defer { client.close() }
        return try client.get(url + path, fields: fields, method: method)
    }

    /// Moves the proxy's clock on, once the proxy has read all that a client sent.
    func pass(_ time: Duration, after client: RawClient) throws {
        try Patience.poll("the proxy has read what was sent") {
            let isRead = client.socket.unacknowledgedByteCount == 0 && KernelQueues.bytes(fromPort: client.port) == 0
            return isRead ? () : nil
        }
        try proxy.pass(time)
    }

    /// Waits until the proxy does not read what the backend sends, as its app does not read.
    func waitUntilBlocked() throws {
        try Patience.poll("the proxy leaves bytes of its backend") {
            KernelQueues.bytes(fromPort: backend.port) > 0 ? () : nil
        }
    }

    /// Moves the proxy's clock on again and again while it does not read what the backend sends; returns what the access
    /// log tells of the end.
    ///
    /// The systems between the proxy and its app take something for a while, as if the app read it.
    func pass(_ time: Duration, whileBlockedUntil end: String) throws -> String {
        try Patience.poll(end) {
            let text = TemporaryDirectory.read(directory.file("access.log"))
            if text.hasSuffix("\n") { return text }
            if KernelQueues.bytes(fromPort: backend.port) > 0 { try proxy.pass(time) }
            return nil
        }
    }

    /// Waits until the access log has so many lines, and returns them.
    func accessLog(_ count: Int) throws -> [String] {
        try Patience.poll("\(count) lines of access log") {
            let text = TemporaryDirectory.read(directory.file("access.log"))
            let lines = text.split(separator: "\n").map(String.init)
            return lines.count >= count && text.hasSuffix("\n") ? lines : nil
        }
    }
}

/// Runs a test's body in a scene and takes the scene down after it.
func withScene<Result>(
    _ layout: Layout = Layout(), tokens: [FakeTokenEndpoint.Answer] = [],
    then fallback: FakeTokenEndpoint.Answer = .token(expiresIn: "3600"),
    backend script: @escaping ScriptedServer.Script = Scripts.ok, loop: EventLoop? = nil,
    _ body: (Scene) throws -> Result
) throws -> Result {
    let directory = try TemporaryDirectory()
    defer { directory.remove() }
    let endpoint = try FakeTokenEndpoint(tokens, then: fallback)
    defer { endpoint.stop() }
    let backend = try ScriptedServer(script)
    defer { backend.stop() }
    let yaml = layout.yaml(backendPort: backend.port, tokenURL: endpoint.url, directory: directory.path)
    let proxy = try ProxyUnderTest(yaml: yaml, loop: loop)
    defer { proxy.stop() }
    return try body(Scene(backend: backend, tokens: endpoint, proxy: proxy, directory: directory))
}
