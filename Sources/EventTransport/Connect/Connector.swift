/// Opens connections to named servers.
///
/// Confined to the loop's thread. Made lazily: nothing is opened before the first connection, nothing of DNS
/// before the first name.
package final class Connector {
    /// Where to connect to, and how.
    package struct Target {
        /// A name or an IP address without brackets.
        package var host: String
        package var port: UInt16
        /// Nil for a plain connection.
        package var tls: TLSContext?
        /// What the certificate must be for; nil for `host`.
        package var serverName: String?
        /// Refuses link-local addresses and others where metadata services live, also behind a name.
        package var refusesLinkLocal: Bool
        /// Whether an app chose the name; such names wait for each other, and never delay those of the configuration.
        package var isChosenByApp: Bool

        package init(
            host: String, port: UInt16, tls: TLSContext? = nil, serverName: String? = nil,
            refusesLinkLocal: Bool = false, isChosenByApp: Bool = false
        ) {
            self.host = host
            self.port = port
            self.tls = tls
            self.serverName = serverName
            self.refusesLinkLocal = refusesLinkLocal
            self.isChosenByApp = isChosenByApp
        }

        var authority: String { host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)" }
    }

    private let loop: EventLoop
    private let resolver: Resolver

    package convenience init(loop: EventLoop) {
        self.init(loop: loop, resolverConfiguration: "/etc/resolv.conf", hostsFile: "/etc/hosts")
    }

    /// With files of one's own in place of `/etc/resolv.conf` and `/etc/hosts`; missing ones are no error.
    package init(loop: EventLoop, resolverConfiguration: String, hostsFile: String) {
        self.loop = loop
        resolver = Resolver(loop: loop, configuration: resolverConfiguration, hostsFile: hostsFile)
    }

    /// Resolves, connects and, for TLS, shakes hands, all within `timeout`.
    ///
    /// - Parameters:
    ///   - target: All of its addresses are tried.
    ///   - timeout: For everything together.
    ///   - done: Called once, in a later callback of the loop, unless the attempt is cancelled. The connection
    ///     is not started yet.
    /// - Returns: The attempt, which goes on whether or not it is kept.
    @discardableResult
    package func connect(
        to target: Target, timeout: Duration, _ done: @escaping (Result<StreamConnection, TransportError>) -> Void
    ) -> ConnectAttempt {
        let attempt = ConnectAttempt(target, timeout: timeout, loop: loop, done)
        attempt.begin(resolver)
        return attempt
    }
}
