import EventTransport
import Logging
import ProxyCore

/// The parent proxies of one loop; the passwords in files are read again when they change.
///
/// Confined to the loop.
final class ParentProxies {
    private let loop: EventLoop
    private let logger: Logger
    private var made: [ParentProxy] = []
    /// Nil if no proxy has a password in a file.
    private var watch: FileWatch?

    init(loop: EventLoop, logger: Logger) {
        self.loop = loop
        self.logger = logger
    }

    /// The proxy with these settings, which is made once.
    ///
    /// - Throws: The reason why its password is unusable.
    func proxy(_ settings: UpstreamProxy) throws(TransportError) -> ParentProxy {
        if let known = made.first(where: { $0.settings == settings }) { return known }
        let proxy = try ParentProxy(settings, loop: loop, logger: logger)
        made.append(proxy)
        if proxy.isChanging, watch == nil {
            watch = FileWatch(loop) { [unowned self] in
                for proxy in made { proxy.renew(at: loop.now) }
            }
        }
        return proxy
    }
}
