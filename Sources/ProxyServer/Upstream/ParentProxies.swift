import EventTransport
import Logging
import ProxyCore
import TokenManager

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
    func proxy(_ settings: UpstreamProxy, _ files: ServedFiles = ServedFiles()) throws(TransportError) -> ParentProxy {
        if let known = made.first(where: { $0.settings == settings }) { return known }
        let proxy = try ParentProxy(settings, files, loop: loop, logger: logger)
        made.append(proxy)
        if proxy.isChanging, watch == nil {
            watch = FileWatch(loop) { [unowned self] in
                for proxy in made { proxy.renew(at: loop.now) }
            }
        }
        return proxy
    }

    /// Drops the proxies that are not in use, with their passwords.
    func keep(_ isInUse: (ParentProxy) -> Bool) {
        made.removeAll { !isInUse($0) }
        if !made.contains(where: \.isChanging) { watch = nil }
    }

    /// The files of passwords that are read again and again.
    var watchedFiles: [String] {
        made.compactMap { proxy in
            guard case .file(let path)? = proxy.settings.credentials?.password else { return nil }
            return path
        }
    }
}
