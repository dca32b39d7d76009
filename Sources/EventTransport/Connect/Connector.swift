/// Opens connections to named servers.
///
/// Confined to the loop's thread. Works lazily: no socket before the first connection, no DNS before the first name.
package final class Connector {
    /// Where and how to connect.
    package struct Target {
        /// A name or an IP address without brackets.
        package var host: String
        package var port: UInt16
        /// Nil for a plain connection.
        package var tls: TLSContext?
        /// The name that the certificate must be for; nil for `host`.
        package var serverName: String?
        /// Refuses addresses, also if a name leads to them.
        package var addresses: AddressGuard
        /// Whether an app chose the name; such names wait for each other, and never delay names of the configuration.
        package var isChosenByApp: Bool
        /// The proxy on the way; it resolves the host then.
        package var parent: Parent?

        package init(
            host: String, port: UInt16, tls: TLSContext? = nil, serverName: String? = nil,
            addresses: AddressGuard = .open, isChosenByApp: Bool = false, parent: Parent? = nil
        ) {
            self.host = host
            self.port = port
            self.tls = tls
            self.serverName = serverName
            self.addresses = addresses
            self.isChosenByApp = isChosenByApp
            self.parent = parent
        }

        /// The port of the server that the socket connects to, and its authority.
        var peerPort: UInt16 { parent?.port ?? port }
        var peerAuthority: String { parent?.authority ?? authority }

        var authority: String { host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)" }
    }

    let loop: EventLoop
    let resolver: Resolver
    let overrides: AddressOverrides
    private let own: OwnIdentity?
    private let failed = FailedAddresses()
    /// The same for names that apps chose: what fails for them may work for the names of the configuration.
    private let failedForApps = FailedAddresses()

    /// - Parameters:
    ///   - loop: The loop of the connections.
    ///   - overrides: The names that are not resolved.
    ///   - own: What identifies this process, to which no connection leads.
    ///   - names: Counts the look-ups.
    package convenience init(
        loop: EventLoop, overrides: AddressOverrides = AddressOverrides(), avoiding own: OwnIdentity? = nil,
        counting names: NameCounts = NameCounts()
    ) {
        self.init(
            loop: loop, overrides: overrides, avoiding: own, counting: names,
            resolverConfiguration: "/etc/resolv.conf", hostsFile: "/etc/hosts")
    }

    /// Reads the given files instead of `/etc/resolv.conf` and `/etc/hosts`; a missing file is no error.
    package init(
        loop: EventLoop, overrides: AddressOverrides = AddressOverrides(), avoiding own: OwnIdentity? = nil,
        counting names: NameCounts = NameCounts(), resolverConfiguration: String, hostsFile: String
    ) {
        self.loop = loop
        self.overrides = overrides
        self.own = own
        resolver = Resolver(loop: loop, configuration: resolverConfiguration, hostsFile: hostsFile, counts: names)
    }

    /// Resolves the name, connects and, for TLS, completes the handshake, all within `timeout`.
    ///
    /// - Parameters:
    ///   - target: The server; all of its addresses are tried.
    ///   - timeout: The time for all steps together.
    ///   - done: Called once, in a later callback of the loop, unless the attempt is cancelled. The connection is not
    ///     started yet.
    /// - Returns: The attempt, which continues whether or not the caller keeps it.
    @discardableResult
    package func connect(
        to target: Target, timeout: Duration, _ done: @escaping (Result<StreamConnection, TransportError>) -> Void
    ) -> ConnectAttempt {
        let failed = target.isChosenByApp ? failedForApps : failed
        let attempt = ConnectAttempt(
            target, avoiding: own, failed: failed, timeout: timeout, loop: loop, done)
        attempt.begin(resolver, overrides)
        return attempt
    }
}
