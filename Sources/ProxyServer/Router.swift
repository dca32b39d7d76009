import EventTransport
import HTTPWire
import Logging
import ProxyCore
import TokenManager

/// Finds the destination of a request, and keeps the endpoints of backends.
///
/// Confined to the worker's loop. Destinations and endpoints of routes live as long as the worker. Those of hosts
/// that only requests name are dropped some time after their last connection has closed or could not be made.
final class Router {
    private struct EndpointKey: Hashable {
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

    /// A host that a request names, with the route that leaves the host to the request, or without a route.
    private struct RequestedHost: Hashable {
        var origin: Origin
        var routeIndex: Int?
    }

    /// A route with its credential and its destination.
    private struct Plan {
        let route: Route
        let credential: RoutedCredential?
        /// Nil for a route that leaves the host to the request.
        var destination: Destination?
    }

    let table: RouteTable
    private let loop: EventLoop
    private let connector: Connector
    private let parents: ParentProxies
    /// The parent proxy for requests without a route.
    private let upstreamProxy: UpstreamProxy?
    private let limits: Limits
    private let idle: IdleConnections
    let via: ViaName
    /// The ranges of addresses that destinations may have which no route names.
    private let allowed: [AddressRange]
    /// The plans by the index of the route.
    private let plans = Confined<[Plan]>([])
    private var requestedHosts: [RequestedHost: Destination] = [:]
    private var endpoints: [EndpointKey: UpstreamEndpoint] = [:]
    /// The TLS of endpoints that trust the system's authorities and show no certificate.
    private var systemTLS: TLSContext?
    /// The TLS by the settings that matter to it: all except the server's name.
    private var changingTLS: [UpstreamTLS: EndpointTLS] = [:]
    private var authorityFiles: [String: AuthorityFile] = [:]
    /// Checks the TLS files regularly, so that the first request after a change uses the new ones; nil if there are
    /// none.
    private var fileWatch: Timer?
    private static let fileInterval: Duration = .seconds(1)
    private let logger: Logger

    /// The number of hosts named by requests at which the unused ones are dropped.
    private var requestedHostLimit = Router.leastRequestedHostLimit
    /// The number of endpoints at which a CONNECT drops the unused ones.
    private var endpointLimit = Router.leastRequestedHostLimit
    static let leastRequestedHostLimit = 1000

    /// - Throws: If a CA file or a client certificate is unusable.
    init(
        table: RouteTable, credentials: [CredentialConfiguration], limits: Limits, loop: EventLoop,
        idle: IdleConnections, via: ViaName = ViaName(), allowing allowed: [AddressRange] = [], logger: Logger,
        overrides: AddressOverrides = AddressOverrides(), avoiding own: OwnListeners? = nil,
        upstreamProxy: UpstreamProxy? = nil
    ) throws(TransportError) {
        self.logger = logger
        self.via = via
        self.allowed = allowed
        self.table = table
        self.loop = loop
        self.limits = limits
        self.idle = idle
        self.upstreamProxy = upstreamProxy
        parents = ParentProxies(loop: loop, logger: logger)
        connector = Connector(loop: loop, overrides: overrides, avoiding: own)
        let routed = Dictionary(credentials.enumerated().map { ($1.name, RoutedCredential($1, index: $0)) }) {
            first, _ in
            first
        }
        for (index, route) in table.routes.enumerated() {
            plans.value.append(Plan(route: route, credential: route.credential.flatMap { routed[$0] }))
            if let origin = RouteTable.fixedOrigin(of: route) {
                let endpoint = try endpoint(
                    origin, route.tls, through: route.upstreamProxy, preservesHost: route.preservesHost)
                plans.value[index].destination = destination(routeIndex: index, endpoint: endpoint)
            } else {
                // The files are read before requests arrive, so a file system that hangs later stops no request.
                _ = try changingTLS(route.tls)
                _ = try route.upstreamProxy.map { (proxy) throws(TransportError) in try parents.proxy(proxy) }
            }
        }
        _ = try upstreamProxy.map { (proxy) throws(TransportError) in try parents.proxy(proxy) }
        if !changingTLS.isEmpty { watchFiles() }
    }

    private func watchFiles() {
        let watch = Timer(loop: loop) { [unowned self] in
            for tls in changingTLS.values { tls.renew(at: loop.now) }
            fileWatch?.schedule(after: Self.fileInterval)
        }
        watch.schedule(after: Self.fileInterval)
        fileWatch = watch
    }

    /// A refused request, with the index of the route that it would take, if any.
    struct Refused: Error {
        let error: ProxyError
        var routeIndex: Int?
    }

    /// What becomes of a CONNECT that is not refused.
    enum Connect {
        case tunnel(Destination)
        /// The requests inside are served, by the routes that take them.
        case terminate(TerminatedTunnel)
    }

    /// Decides about a CONNECT by a listener's routes.
    ///
    /// - Throws: The refusal of the request.
    func connect(
        _ head: borrowing RequestHead, in bytes: Span<UInt8>, by table: RouteTable
    ) throws(Refused) -> Connect {
        guard case .authority(let host, let port) = head.target else {
            preconditionFailure("a CONNECT without an authority was parsed")
        }
        switch table.decideConnect(host: host, port: port, in: bytes) {
        case .tunnel(let host, let port, let route, let trust):
            let origin = Origin(scheme: .http, host: host, port: port)
            if endpoints.count >= endpointLimit { dropUnused() }
            do throws(TransportError) {
                let endpoint = try endpoint(
                    origin, UpstreamTLS(), through: proxy(ofRoute: route), trust: trust, isChosenByApp: true,
                    isTunnel: true)
                return .tunnel(bareDestination(endpoint, routeIndex: route))
            } catch {
                throw Refused(error: ProxyError(error, reaching: "\(origin)"), routeIndex: route)
            }
        case .terminate(let host, let port, let route):
            return .terminate(TerminatedTunnel(host: host, port: port, routeIndex: route))
        case .denied(let route):
            throw Refused(error: Refusals.connect(head, in: bytes, table), routeIndex: route)
        case .forbidden: throw Refused(error: Refusals.forbiddenTunnel(head, in: bytes))
        }
    }

    /// The destination of a request other than CONNECT, by all routes.
    ///
    /// - Throws: The refusal of the request.
    func destination(of head: borrowing RequestHead, in bytes: Span<UInt8>) throws(Refused) -> Destination {
        try destination(of: head, in: bytes, table.decide(head, in: bytes), by: table)
    }

    /// The destination of a request other than CONNECT to a listener with rules of its own.
    ///
    /// - Throws: The refusal of the request.
    func destination(
        of head: borrowing RequestHead, in bytes: Span<UInt8>, by rules: ListenerRules
    ) throws(Refused) -> Destination {
        if let gateway = rules.gateway { return try gateway.destination(of: head, in: bytes) }
        return try destination(of: head, in: bytes, rules.table.decide(head, in: bytes), by: rules.table)
    }

    @inline(__always)
    private func destination(
        of head: borrowing RequestHead, in bytes: Span<UInt8>, _ decision: RouteDecision, by table: RouteTable
    ) throws(Refused) -> Destination {
        switch decision {
        case .route(let index):
            guard let destination = plans.value[index].destination else {
                preconditionFailure("a fixed route has no destination")
            }
            try checkTrace(head, in: bytes, destination)
            return destination
        case .requestedHost(let index, let origin):
            let destination = try destination(RequestedHost(origin: origin, routeIndex: index))
            try checkTrace(head, in: bytes, destination)
            return destination
        case .plaintextDenied(let index):
            throw Refused(error: Refusals.plaintext(head, in: bytes, table.routes[index]), routeIndex: index)
        case .unmatched(let origin): return try destination(RequestedHost(origin: origin, routeIndex: nil))
        case .denied: throw Refused(error: Refusals.destination(head, in: bytes, table, of: self.table))
        case .notForAProxy: throw Refused(error: Refusals.notForAProxy)
        }
    }

    /// A gateway listener for a route, which the configuration has checked to exist and to have one upstream.
    func gateway(to route: String, hosts: [String], at address: ListenerAddress) -> Gateway {
        guard let index = table.routes.firstIndex(where: { $0.name == route }),
            let endpoint = plans.value[index].destination?.endpoint
        else { preconditionFailure("a gateway has no route with an upstream of its own") }
        return Gateway(
            to: destination(routeIndex: index, endpoint: endpoint, isGateway: true), routeIndex: index, in: table,
            hosts: GatewayHosts(hosts), port: address.tcpAddress?.port)
    }

    func routeName(_ index: Int) -> String { table.routes[index].name }

    func drain() {
        for endpoint in endpoints.values { endpoint.drain() }
    }

    /// The end of each route's client certificate in seconds since 1970, by the route's index; nil without one.
    var certificateExpiries: [Int64?] {
        table.routes.map { route in
            route.tls.clientCertificate.flatMap { files in
                changingTLS[UpstreamTLS(caFile: route.tls.caFile, clientCertificate: files)]?.identity?.expiresAt
            }
        }
    }

    /// Each backend's own certificate, by the index of the route; nil before a handshake and where requests choose the host.
    var backendCertificates: [BackendCertificate?] { plans.value.map { $0.destination?.endpoint.certificate } }

    var connectionCount: Int { endpoints.values.reduce(0) { $0 + $1.connectionCount } }

    /// Refuses TRACE, whose response would show the credential to the app (RFC 9110 section 9.3.8).
    private func checkTrace(
        _ head: borrowing RequestHead, in bytes: Span<UInt8>, _ destination: Destination
    ) throws(Refused) {
        guard destination.credential != nil, Refusals.asksForTrace(head, in: bytes) else { return }
        throw Refused(error: Refusals.trace, routeIndex: destination.routeIndex)
    }

    private func destination(
        routeIndex index: Int, endpoint: UpstreamEndpoint, isGateway: Bool = false
    ) -> Destination {
        let plan = plans.value[index]
        let (path, preservesHost) = (plan.route.upstreamPath, plan.route.preservesHost)
        return Destination(
            endpoint: endpoint,
            rules: .init(
                host: endpoint.hostLine, credentialName: plan.credential?.fieldName,
                keepsAuthorization: plan.route.authorization == .keep,
                provesPossession: plan.credential?.provesPossession ?? false,
                parameterNames: plan.credential?.parameters?.fieldNames ?? [], path: Array(path.utf8),
                preservesHost: preservesHost, via: via, parent: endpoint.askedParent),
            timeouts: BackendTimeouts(limits, plan.route.timeouts),
            tunnelIdle: .tunnelIdle(limits, plan.route.timeouts), credential: plan.credential,
            refreshOn: plan.route.refreshOn,
            urls: isGateway || !path.isEmpty
                ? UpstreamURLs(endpoint.origin, path: path, preservesHost: preservesHost) : nil,
            routeIndex: index)
    }

    private func destination(_ host: RequestedHost) throws(Refused) -> Destination {
        if let destination = requestedHosts[host] { return destination }
        if requestedHosts.count >= requestedHostLimit { dropUnused() }
        let made: Destination
        do throws(TransportError) {
            made =
                if let index = host.routeIndex {
                    destination(
                        routeIndex: index,
                        endpoint: try endpoint(
                            host.origin, table.routes[index].tls, through: proxy(ofRoute: index), isChosenByApp: true))
                } else {
                    bareDestination(
                        try endpoint(
                            host.origin, UpstreamTLS(), through: upstreamProxy, trust: .none, isChosenByApp: true))
                }
        } catch {
            throw Refused(error: ProxyError(error, reaching: "\(host.origin)"), routeIndex: host.routeIndex)
        }
        requestedHosts[host] = made
        return made
    }

    /// A destination to which nothing is attached.
    private func bareDestination(_ endpoint: UpstreamEndpoint, routeIndex: Int? = nil) -> Destination {
        Destination(
            endpoint: endpoint,
            rules: .init(
                host: endpoint.hostLine, credentialName: nil, keepsAuthorization: true, via: via,
                parent: endpoint.askedParent),
            timeouts: BackendTimeouts(limits),
            tunnelIdle: .tunnelIdle(limits, routeIndex.map { table.routes[$0].timeouts } ?? RouteTimeouts()),
            routeIndex: routeIndex)
    }

    private func dropUnused() {
        let fixed = Set(plans.value.compactMap { $0.destination?.endpoint }.map(ObjectIdentifier.init))
        endpoints = endpoints.filter { !$0.value.isUnused || fixed.contains(ObjectIdentifier($0.value)) }
        requestedHosts = requestedHosts.filter { !$0.value.endpoint.isUnused }
        // If all are in use, the next search waits until their number has doubled.
        requestedHostLimit = max(Self.leastRequestedHostLimit, 2 * requestedHosts.count)
        endpointLimit = max(Self.leastRequestedHostLimit + plans.value.count, 2 * endpoints.count)
    }

    /// The endpoint of an origin; apps that choose the origin of a route share the route's endpoint.
    private func endpoint(
        _ origin: Origin, _ tls: UpstreamTLS, through proxy: UpstreamProxy?, preservesHost: Bool = false,
        trust: DestinationTrust = .address, isChosenByApp: Bool = false, isTunnel: Bool = false
    ) throws(TransportError) -> UpstreamEndpoint {
        var parent: ParentProxy?
        if let proxy, proxy.leads(to: origin.host, port: origin.port) { parent = try parents.proxy(proxy) }
        // A parent proxy writes Host after the absolute-form, so only a tunnel preserves the app's.
        let needsTunnel = isTunnel || origin.scheme == .https || preservesHost || proxy?.tunnelsAll ?? false
        let key = EndpointKey(
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
            connectTimeout: limits.connectTimeout,
            idle: idle)
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

    /// The parent proxy for a route that leaves the host to the request, or for a request without a route.
    private func proxy(ofRoute index: Int?) -> UpstreamProxy? {
        index.map { table.routes[$0].upstreamProxy } ?? upstreamProxy
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
