package final class Connector {
    package struct Target {
        package var host: String
        package var port: UInt16
        package var tls: TLSContext?
        package var serverName: String?
        package var refusesLinkLocal: Bool

        package init(
            host: String, port: UInt16, tls: TLSContext? = nil, serverName: String? = nil,
            refusesLinkLocal: Bool = false
        ) {
            self.host = host
            self.port = port
            self.tls = tls
            self.serverName = serverName
            self.refusesLinkLocal = refusesLinkLocal
        }
    }
    package init(loop: EventLoop) { fatalError("stub") }
    package func connect(
        to target: Target, timeout: Duration,
        _ done: @escaping (Result<StreamConnection, TransportError>) -> Void
    ) -> ConnectAttempt { fatalError("stub") }
}
