import EventTransport
package import Logging
import ProxyConfiguration
import ProxyCore
import TokenManager

/// A token server, a backend that wants its tokens and the proxy, all on one loop, and the proof that they work.
package final class Demonstration {
    private let loop: EventLoop
    private let tokenServer: DemoTokenServer
    private let backend: DemoBackend
    private let proxy: ProxyServer
    private let show: DemoShow

    /// Opens everything on free ports of this machine's own address.
    ///
    /// - Parameters:
    ///   - logger: for what goes wrong meanwhile.
    ///   - print: takes one line for the person who watches.
    /// - Throws: where a port cannot be had.
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
            tokenServer: tokenServer.address, backend: backend.address, proxy: proxy.listenerAddresses[0],
            admin: proxy.adminAddress, client: LocalClient(loop: loop), tokenRequests: { tokens.value.requestCount },
            print: print)
    }

    /// Shows it, and stays up until a signal unless `once`; blocks.
    ///
    /// - Returns: whether everything was as told.
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
        return Configuration(
            listeners: [anyPort], credentials: [credential], routes: [route], admin: anyPort, accessLog: .off)
    }
}
