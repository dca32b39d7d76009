import EventTransport
import HTTPWire
package import Logging
import ProxyConfiguration
import ProxyCore
import TokenManager

/// A token server, a backend that requires its tokens, and the proxy, all on one loop.
package final class Demonstration {
    private let loop: EventLoop
    private let tokenServer: DemoTokenServer
    private let backend: DemoBackend
    private let proxy: ProxyServer
    private let show: DemoShow

    /// Opens all three on free ports on loopback.
    ///
    /// - Parameters:
    ///   - logger: The log of the proxy.
    ///   - print: Prints one line.
    /// - Throws: If no port is free.
    package init(logger: Logger, print: @escaping @Sendable (String) -> Void) throws(StartError) {
        do throws(TransportError) {
            loop = try EventLoop()
            tokenServer = try DemoTokenServer(loop: loop)
            backend = try DemoBackend(loop: loop, trusting: tokenServer)
        } catch {
            throw StartError(error)
        }
        proxy = try ProxyServer(
            configuration: try Self.configuration(tokenServer, backend), logger: logger, loop: loop)
        let tokens = LoopBound(tokenServer, loop: loop)
        show = DemoShow(
            tokenServer: tokenServer.address, backend: backend.address, proxy: Self.tcp(proxy.listenerAddresses[0]),
            gateway: Self.tcp(proxy.listenerAddresses[1]), admin: proxy.adminAddress?.tcpAddress,
            client: LocalClient(loop: loop),
            tokenRequests: { tokens.value.requestCount },
            print: print)
    }

    /// Runs the steps, and serves until a signal unless `once`; blocks.
    ///
    /// - Returns: Whether every step gave the expected result.
    package func run(once: Bool) throws(StartError) -> Bool {
        if !once { try proxy.handleSignals() }
        let outcome = LoopBound(Outcome(), loop: loop)
        let (show, proxy, loop) = (show, proxy, loop)
        Task(executorPreference: loop) {
            let isAsTold = await show.perform()
            loop.execute { outcome.value.isAsTold = isAsTold }
            if once || !isAsTold { proxy.drain() } else { show.invite() }
        }
        proxy.run()
        tokenServer.close()
        backend.close()
        return outcome.value.isAsTold
    }

    private static func tcp(_ address: ListenerAddress) -> SocketAddress {
        guard let address = address.tcpAddress else { preconditionFailure("the demonstration listens on TCP") }
        return address
    }

    private final class Outcome {
        var isAsTold = false
    }

    private static func configuration(
        _ tokenServer: DemoTokenServer, _ backend: DemoBackend
    ) throws(StartError) -> Configuration {
        let url: TokenURL
        do throws(TokenURL.InvalidURL) {
            url = try TokenURL("http://\(tokenServer.address)/token")
        } catch {
            throw StartError(TransportError(.system, error.description))
        }
        let credential = CredentialConfiguration(
            name: "demo",
            source: .clientCredentials(
                ClientCredentials(
                    endpoint: .url(url),
                    client: OAuthClient(
                        id: tokenServer.clientID, authentication: .basic(.literal(tokenServer.clientSecret))))))
        let origin = Origin(scheme: .http, host: "127.0.0.1", port: backend.address.port)
        let route = Route(
            name: "demo", match: RouteMatch(host: .exact(origin.host), port: .exactly(origin.port)),
            upstream: .origin(origin), credential: credential.name)
        let anyPort = ListenerConfiguration(host: "127.0.0.1", port: 0)
        let gateway = ListenerConfiguration(host: "127.0.0.1", port: 0, mode: .gateway(route: route.name))
        return Configuration(
            listeners: [anyPort, gateway], credentials: [credential], routes: [route], admin: anyPort, accessLog: .off)
    }
}
