import EventTransport

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
