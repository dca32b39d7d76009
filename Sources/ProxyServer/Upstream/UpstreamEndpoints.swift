import EventTransport
import HTTPWire
import Logging
import ProxyCore
import Signing

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
        /// Whether apps chose the host, so that its look-up never delays those of hosts that the operator named.
        var isChosenByApp = false
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
    /// The routers of the rules in force, of prepared rules, and of earlier ones that exchanges still have.
    private var routers: [ObjectIdentifier: RouterReference] = [:]

    private struct RouterReference {
        // A weak reference would make each use of the router by a request slower.
        unowned let router: Router
    }

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

    /// A router uses the endpoints until `remove`.
    func add(_ router: Router) { routers[ObjectIdentifier(router)] = RouterReference(router: router) }

    /// A router is released.
    func remove(_ router: ObjectIdentifier) { routers[router] = nil }

    /// Whether a router may still use the endpoints, or has a connection.
    var isInUse: Bool { connectionCount > 0 || !routers.isEmpty }

    /// Drops the endpoints without a connection that no route has, and the files that only they needed.
    func dropUnused() {
        let users = routers.values.map(\.router)
        let fixed = Set(users.flatMap(\.fixedEndpoints).map(ObjectIdentifier.init))
        endpoints = endpoints.filter { !$0.value.isUnused || fixed.contains(ObjectIdentifier($0.value)) }
        for router in users { router.forgetUnused() }
        let tls = Set((endpoints.keys.map(\.tls) + users.flatMap { $0.table.routes.map(\.tls) }).map(\.files))
        changingTLS = changingTLS.filter { tls.contains($0.key) }
        let files = Set(changingTLS.keys.compactMap(\.caFile))
        authorityFiles = authorityFiles.filter { files.contains($0.key) }
        if changingTLS.isEmpty { fileWatch = nil }
        let proxies = users.flatMap(\.upstreamProxies)
        let parentsInUse = Set(endpoints.keys.compactMap(\.parent))
        parents.keep { parentsInUse.contains(ObjectIdentifier($0)) || proxies.contains($0.settings) }
    }

    /// The files that are read again and again, by their paths.
    var watchedFiles: [String] {
        let identities = changingTLS.keys.compactMap { $0.clientCertificate?.certificate }
        return (authorityFiles.keys + identities + parents.watchedFiles).sorted()
    }

    /// The validity of the client certificate; nil without one.
    func certificate(of tls: UpstreamTLS) -> CertificateValidity? {
        tls.clientCertificate.flatMap { _ in changingTLS[tls.files]?.certificate }
    }

    /// Uses the files of destinations before requests need them, so that a file system that hangs later stops no request.
    ///
    /// - Throws: If a file is unusable.
    func prepare(_ tls: UpstreamTLS, _ proxy: UpstreamProxy?, _ files: ServedFiles) throws(TransportError) {
        _ = try changingTLS(tls, files)
        if let proxy { _ = try parents.proxy(proxy, files) }
    }

    /// The endpoint of an origin.
    ///
    /// - Throws: If a CA file or a client certificate is unusable.
    func endpoint(
        _ origin: Origin, _ tls: UpstreamTLS, through proxy: UpstreamProxy?, preservesHost: Bool = false,
        trust: DestinationTrust = .address, isChosenByApp: Bool = false, isTunnel: Bool = false,
        _ files: ServedFiles = ServedFiles()
    ) throws(TransportError) -> UpstreamEndpoint {
        var parent: ParentProxy?
        if let proxy, proxy.leads(to: origin.host, port: origin.port) { parent = try parents.proxy(proxy, files) }
        // A parent proxy writes Host after the absolute-form, so only a tunnel preserves the app's.
        let needsTunnel = isTunnel || origin.scheme == .https || preservesHost || proxy?.tunnelsAll ?? false
        let key = Key(
            origin: origin, tls: tls, trust: trust, isTunnel: isTunnel, isChosenByApp: isChosenByApp,
            parent: parent.map(ObjectIdentifier.init), isBehindTunnel: parent != nil && needsTunnel)
        if let endpoint = endpoints[key] { return endpoint }
        let isSecure = origin.scheme == .https
        let changing = isSecure ? try changingTLS(tls, files) : nil
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
    private func changingTLS(
        _ tls: UpstreamTLS, _ files: ServedFiles = ServedFiles()
    ) throws(TransportError) -> EndpointTLS? {
        guard tls.caFile != nil || tls.clientCertificate != nil else { return nil }
        let key = tls.files
        if let made = changingTLS[key] { return made }
        var identity: ClientIdentity?
        if let pair = tls.clientCertificate {
            identity = try ClientIdentity(
                pair, holding: try files.certificate(pair), at: loop.now, logger: logger,
                reader: ClientIdentity.reader(of: pair.paths, on: loop) { ClientIdentity.read(pair) })
        }
        var authorities: AuthorityFile?
        if let file = tls.caFile { authorities = try authorityFile(file, files) }
        let made = try EndpointTLS(trusting: authorities, showing: identity)
        changingTLS[key] = made
        if fileWatch == nil {
            fileWatch = FileWatch(loop) { [unowned self] in
                for tls in changingTLS.values { tls.renew(at: loop.now) }
            }
        }
        return made
    }

    private func authorityFile(_ path: String, _ files: ServedFiles) throws(TransportError) -> AuthorityFile {
        if let file = authorityFiles[path] { return file }
        let file = try AuthorityFile(path, holding: try files.authorities(path), on: loop, logger: logger)
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

extension UpstreamTLS {
    /// The settings that files matter to: all except the server's name.
    fileprivate var files: UpstreamTLS { UpstreamTLS(caFile: caFile, clientCertificate: clientCertificate) }
}

extension AddressRange {
    /// The addresses of a network of the configuration, which is known to have an address.
    init(_ network: Network) {
        guard let address = IPAddress(literal: network.address) else {
            preconditionFailure("a network has no address")
        }
        self.init(address, prefixLength: network.prefixLength)
    }
}
