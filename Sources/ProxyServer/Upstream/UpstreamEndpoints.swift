import EventTransport
import HTTPWire
import Logging
import ProxyCore

/// The endpoints of the worker's backends, with the connector, the parent proxies and the TLS that they share.
///
/// Confined to the worker's loop.
final class UpstreamEndpoints {
    private struct Key: Hashable {
        var origin: Origin
        var tls: UpstreamTLS
        var trust: DestinationTrust
        /// Whether its connections are sides of tunnels, which are never used again.
        var isTunnel = false
        /// The parent proxy on the way; nil without one.
        var parent: ObjectIdentifier?
        /// Whether the parent proxy opens a tunnel.
        var isBehindTunnel = false
    }

    private let loop: EventLoop
    private let connector: Connector
    private let parents: ParentProxies
    private let connectTimeout: Duration
    private let idle: IdleConnections
    /// The ranges of addresses that a destination without a route may have besides public ones.
    private let allowed: [AddressRange]
    private var endpoints: [Key: UpstreamEndpoint] = [:]
    /// The TLS of endpoints that trust the system's authorities and show no certificate.
    private var systemTLS: TLSContext?
    /// The TLS by the settings that matter to it: all except the server's name.
    private var changingTLS: [UpstreamTLS: EndpointTLS] = [:]
    private var authorityFiles: [String: AuthorityFile] = [:]
    /// Nil if no TLS is read from a file.
    private var fileWatch: FileWatch?
    private let logger: Logger

    /// - Parameters:
    ///   - loop: The worker's loop.
    ///   - connector: Opens the connections.
    ///   - connectTimeout: The time for name resolution, TCP and TLS together.
    ///   - idle: All idle connections of the worker.
    ///   - allowed: The ranges of addresses that a destination without a route may have besides public ones.
    ///   - logger: Gets a line when a changed file is not used.
    init(
        loop: EventLoop, connector: Connector, connectTimeout: Duration, idle: IdleConnections,
        allowing allowed: [AddressRange] = [], logger: Logger
    ) {
        self.loop = loop
        self.connector = connector
        self.connectTimeout = connectTimeout
        self.idle = idle
        self.allowed = allowed
        self.logger = logger
        parents = ParentProxies(loop: loop, logger: logger)
    }

    var count: Int { endpoints.count }

    var connectionCount: Int { endpoints.values.reduce(0) { $0 + $1.connectionCount } }

    func drain() {
        for endpoint in endpoints.values { endpoint.drain() }
    }

    /// Drops the endpoints without a connection that no route holds.
    func dropUnused(except fixed: Set<ObjectIdentifier>) {
        endpoints = endpoints.filter { !$0.value.isUnused || fixed.contains(ObjectIdentifier($0.value)) }
    }

    /// The end of the client certificate in seconds since 1970; nil without one.
    func certificateExpiry(of tls: UpstreamTLS) -> Int64? {
        tls.clientCertificate.flatMap { files in
            changingTLS[UpstreamTLS(caFile: tls.caFile, clientCertificate: files)]?.identity?.expiresAt
        }
    }

    /// Reads the files of destinations that requests will name, so that a file system that hangs later stops no request.
    ///
    /// - Throws: If a file is unusable.
    func prepare(_ tls: UpstreamTLS, _ proxy: UpstreamProxy?) throws(TransportError) {
        _ = try changingTLS(tls)
        if let proxy { _ = try parents.proxy(proxy) }
    }

    /// The endpoint of an origin; apps that choose the origin of a route share the route's endpoint.
    ///
    /// - Throws: If a CA file or a client certificate is unusable.
    func endpoint(
        _ origin: Origin, _ tls: UpstreamTLS, through proxy: UpstreamProxy?, preservesHost: Bool = false,
        trust: DestinationTrust = .address, isChosenByApp: Bool = false, isTunnel: Bool = false
    ) throws(TransportError) -> UpstreamEndpoint {
        var parent: ParentProxy?
        if let proxy, proxy.leads(to: origin.host, port: origin.port) { parent = try parents.proxy(proxy) }
        // A parent proxy writes Host after the absolute-form, so only a tunnel preserves the app's.
        let needsTunnel = isTunnel || origin.scheme == .https || preservesHost || proxy?.tunnelsAll ?? false
        let key = Key(
            origin: origin, tls: tls, trust: trust, isTunnel: isTunnel,
            parent: parent.map(ObjectIdentifier.init), isBehindTunnel: parent != nil && needsTunnel)
        if let endpoint = endpoints[key] { return endpoint }
        let isSecure = origin.scheme == .https
        let changing = isSecure ? try changingTLS(tls) : nil
        let context = isSecure && changing == nil ? try systemContext() : nil
        let endpoint = UpstreamEndpoint(
            origin: origin, tls: context, changingTLS: changing, serverName: tls.serverName,
            addresses: addresses(of: trust), isChosenByApp: isChosenByApp, isTunnel: isTunnel, parent: parent,
            isBehindTunnel: key.isBehindTunnel, loop: loop, connector: connector,
            connectTimeout: connectTimeout, idle: idle)
        endpoints[key] = endpoint
        return endpoint
    }

    private func addresses(of trust: DestinationTrust) -> AddressGuard {
        switch trust {
        case .address: .open
        case .host: AddressGuard(.metadata, allowing: allowed)
        case .none: AddressGuard(.nonPublic, allowing: allowed)
        }
    }

    /// Nil if nothing is read from a file.
    private func changingTLS(_ tls: UpstreamTLS) throws(TransportError) -> EndpointTLS? {
        guard tls.caFile != nil || tls.clientCertificate != nil else { return nil }
        let key = UpstreamTLS(caFile: tls.caFile, clientCertificate: tls.clientCertificate)
        if let made = changingTLS[key] { return made }
        var identity: ClientIdentity?
        if let files = tls.clientCertificate {
            identity = try ClientIdentity(
                files, at: loop.now, logger: logger, reader: ClientIdentity.reader(on: loop))
        }
        var authorities: AuthorityFile?
        if let file = tls.caFile { authorities = try authorityFile(file) }
        let made = try EndpointTLS(trusting: authorities, showing: identity)
        changingTLS[key] = made
        if fileWatch == nil {
            fileWatch = FileWatch(loop) { [unowned self] in
                for tls in changingTLS.values { tls.renew(at: loop.now) }
            }
        }
        return made
    }

    private func authorityFile(_ path: String) throws(TransportError) -> AuthorityFile {
        if let file = authorityFiles[path] { return file }
        let file = try AuthorityFile(path, on: loop, logger: logger)
        authorityFiles[path] = file
        return file
    }

    private func systemContext() throws(TransportError) -> TLSContext {
        if let systemTLS { return systemTLS }
        let context = try TLSContext(trusting: nil)
        systemTLS = context
        return context
    }
}
