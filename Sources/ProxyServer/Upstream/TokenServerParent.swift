import EventTransport
import Logging
import ProxyCore
import TokenManager

/// The parent proxy on the way to token servers.
///
/// Confined to its loop.
final class TokenServerParent {
    private let proxies: ParentProxies
    private let proxy: ParentProxy?

    init(
        _ settings: UpstreamProxy?, _ files: ServedFiles = ServedFiles(), loop: EventLoop, logger: Logger
    ) throws(TransportError) {
        let proxies = ParentProxies(loop: loop, logger: logger)
        self.proxies = proxies
        proxy = try settings.map { (settings) throws(TransportError) in try proxies.proxy(settings, files) }
    }

    /// The proxy on the way to a token server; nil if the way is direct.
    func find(_ url: TokenURL) -> Connector.Parent? {
        guard let proxy, proxy.settings.leads(to: url.host, port: url.port) else { return nil }
        return proxy.way(opensTunnel: url.scheme == .https || proxy.settings.tunnelsAll)
    }
}
