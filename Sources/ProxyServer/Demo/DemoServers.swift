import EventTransport
import FoundationEssentials

/// The demonstration's authorization server: it issues random tokens for client credentials, in memory.
///
/// Confined to its loop.
final class DemoTokenServer {
    let clientID = "demo-app"
    let clientSecret: String
    private(set) var requestCount = 0
    private var tokens: [String: MonotonicInstant] = [:]
    private let loop: EventLoop
    private var server: EmbeddedServer?

    static let lifetime: Duration = .seconds(60)

    init(loop: EventLoop) throws(TransportError) {
        self.loop = loop
        clientSecret = Self.randomText()
        server = try EmbeddedServer(loop: loop, address: .loopback) { [unowned self] request, answer in
            answer(respond(to: request))
        }
    }

    var address: SocketAddress { server?.address ?? .loopback }

    /// Whether the server has issued the token.
    func accepts(_ authorization: String?) -> Bool {
        guard let authorization, authorization.hasPrefix("Bearer "),
            let end = tokens[String(authorization.dropFirst("Bearer ".count))]
        else { return false }
        return loop.now < end
    }

    func close() { server?.close() }

    private func respond(to request: EmbeddedServer.Request) -> EmbeddedServer.Response {
        guard request.path == "/token", request.method == "POST" else { return .init(404, "POST /token\n") }
        requestCount += 1
        let basic = Data("\(clientID):\(clientSecret)".utf8).base64EncodedString()
        guard request.authorization == "Basic \(basic)" else {
            return .init(401, #"{"error":"invalid_client"}"#, contentType: "application/json")
        }
        guard String(decoding: request.body, as: UTF8.self).contains("grant_type=client_credentials") else {
            return .init(400, #"{"error":"unsupported_grant_type"}"#, contentType: "application/json")
        }
        tokens = tokens.filter { loop.now < $0.value }
        let token = Self.randomText()
        tokens[token] = loop.now.advanced(by: Self.lifetime)
        return .init(
            200,
            #"{"access_token":"\#(token)","token_type":"Bearer","expires_in":\#(Self.lifetime.components.seconds)}"#,
            contentType: "application/json")
    }

    private static func randomText() -> String {
        var generator = SystemRandomNumberGenerator()
        return (0..<4).map { _ in String(generator.next() as UInt64, radix: 36) }.joined()
    }
}

extension SocketAddress {
    /// A free port on loopback.
    static var loopback: SocketAddress {
        guard let ip = IPAddress(literal: "127.0.0.1") else { preconditionFailure("127.0.0.1 is an address") }
        return SocketAddress(ip, port: 0)
    }
}

/// The demonstration's protected backend, which accepts only tokens issued by its token server.
///
/// Confined to its loop.
final class DemoBackend {
    private var server: EmbeddedServer?

    init(loop: EventLoop, trusting tokens: DemoTokenServer) throws(TransportError) {
        server = try EmbeddedServer(loop: loop, address: .loopback) { request, answer in
            guard tokens.accepts(request.authorization) else {
                return answer(
                    .init(
                        401, "no valid token\n", fields: [#"WWW-Authenticate: Bearer realm="demo""#]))
            }
            answer(.init(200, "hello from the protected backend\n"))
        }
    }

    var address: SocketAddress { server?.address ?? .loopback }

    func close() { server?.close() }
}
