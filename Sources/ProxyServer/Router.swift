import EventTransport
import HTTPWire
import Logging
import ProxyCore
import TokenManager

/// Finds the destination of a request and keeps the endpoints that requests go to.
///
/// Confined to the worker's loop. Destinations and endpoints of routes live as long as the worker; those of hosts that only
/// a request named are dropped some time after their last connection has closed.
final class Router {
    private struct EndpointKey: Hashable {
        var origin: Origin
        var tls: UpstreamTLS
        var isConfigured: Bool
    }

    /// A host that a request named, by the route that leaves it to the request, or by none.
    private struct RequestedHost: Hashable {
        var origin: Origin
        var routeIndex: Int?
    }

    private let table: RouteTable
    private let loop: EventLoop
    private let connector: Connector
    private let limits: Limits
    private let idle: IdleConnections
    /// By the index of the route; nil for one that leaves the host to the request.
    private var destinations: [Destination?] = []
    private var requestedHosts: [RequestedHost: Destination] = [:]
    private var endpoints: [EndpointKey: UpstreamEndpoint] = [:]
    private var contexts: [String: TLSContext] = [:]
    private var identities: [UpstreamTLS: ClientIdentity] = [:]
    private let logger: Logger
    private let credentialNames: [[UInt8]?]
    private let credentialIndices: [Int?]
    private let parameterReaders: [ParameterReader?]
    private let provesPossession: [Bool]

    /// When so many hosts are there that only requests named, the unused ones are dropped.
    private var requestedHostLimit = Router.leastRequestedHostLimit
    static let leastRequestedHostLimit = 1000

    /// - Throws: where a CA file or a client certificate cannot be used.
    init(
        table: RouteTable, credentials: [CredentialConfiguration], limits: Limits, loop: EventLoop,
        idle: IdleConnections, logger: Logger
    ) throws(TransportError) {
        self.logger = logger
        self.table = table
        self.loop = loop
        self.limits = limits
        self.idle = idle
        connector = Connector(loop: loop)
        let indices = Dictionary(credentials.enumerated().map { ($1.name, $0) }) { first, _ in first }
        let readers = credentials.map { $0.parameters.isEmpty ? nil : ParameterReader($0.parameters) }
        credentialIndices = table.routes.map { route in route.credential.flatMap { indices[$0] } }
        parameterReaders = credentialIndices.map { index in index.flatMap { readers[$0] } }
        credentialNames = credentialIndices.map { index in
            index.map { Array(credentials[$0].header.lowercased().utf8) }
        }
        provesPossession = credentialIndices.map { index in index.map { credentials[$0].dpop != nil } ?? false }
        for (index, route) in table.routes.enumerated() {
            guard let origin = RouteTable.fixedOrigin(of: route) else {
                destinations.append(nil)
                continue
            }
            destinations.append(destination(routeIndex: index, endpoint: try endpoint(origin, route.tls)))
        }
    }

    /// Where a request goes.
    ///
    /// - Throws: why it goes nowhere.
    func destination(of head: borrowing RequestHead, in bytes: Span<UInt8>) throws(ProxyError) -> Destination {
        if head.method == .connect { throw Refusals.connect(head, in: bytes) }
        switch table.decide(head, in: bytes) {
        case .route(let index):
            guard let destination = destinations[index] else { preconditionFailure("a fixed route has no destination") }
            try checkTrace(head, in: bytes, destination)
            return destination
        case .requestedHost(let index, let origin):
            let destination = try destination(RequestedHost(origin: origin, routeIndex: index))
            try checkTrace(head, in: bytes, destination)
            return destination
        case .plaintextDenied(let index): throw Refusals.plaintext(head, in: bytes, table.routes[index])
        case .unmatched(let origin): return try destination(RequestedHost(origin: origin, routeIndex: nil))
        case .denied: throw Refusals.destination(head, in: bytes)
        case .notForAProxy: throw Refusals.notForAProxy
        }
    }

    func drain() {
        for endpoint in endpoints.values { endpoint.drain() }
    }

    /// When each route's client certificate ends, in seconds since 1970, by the route's index; nil without one.
    var certificateExpiries: [Int64?] {
        table.routes.map { route in
            route.tls.clientCertificate.flatMap { files in
                identities[UpstreamTLS(caFile: route.tls.caFile, clientCertificate: files)]?.expiresAt
            }
        }
    }

    var connectionCount: Int { endpoints.values.reduce(0) { $0 + $1.connectionCount } }

    /// A TRACE would bring the credential back to the app (RFC 9110 section 9.3.8).
    private func checkTrace(
        _ head: borrowing RequestHead, in bytes: Span<UInt8>, _ destination: Destination
    ) throws(ProxyError) {
        guard head.methodName.count == 5, destination.credential != nil else { return }
        // Methods know case, but not every backend does; TRACK is what some call their own TRACE.
        for name in ["trace", "track"] where ASCII.equalsIgnoringCase(bytes, head.methodName, name) {
            throw Refusals.trace
        }
    }

    private func destination(routeIndex index: Int, endpoint: UpstreamEndpoint) -> Destination {
        Destination(
            endpoint: endpoint,
            rules: .init(
                host: endpoint.hostLine, credentialName: credentialNames[index],
                keepsAuthorization: table.routes[index].authorization == .keep,
                provesPossession: provesPossession[index], parameterNames: parameterReaders[index]?.fieldNames ?? []),
            timeouts: BackendTimeouts(limits, table.routes[index].timeouts), credential: credentialIndices[index],
            parameters: parameterReaders[index],
            refreshOn: table.routes[index].refreshOn, routeIndex: index)
    }

    private func destination(_ host: RequestedHost) throws(ProxyError) -> Destination {
        if let destination = requestedHosts[host] { return destination }
        if requestedHosts.count >= requestedHostLimit { dropUnused() }
        let made: Destination
        do throws(TransportError) {
            made =
                if let index = host.routeIndex {
                    destination(
                        routeIndex: index,
                        endpoint: try endpoint(host.origin, table.routes[index].tls, isChosenByApp: true))
                } else {
                    unmatchedDestination(
                        try endpoint(host.origin, UpstreamTLS(), isConfigured: false, isChosenByApp: true))
                }
        } catch {
            throw ProxyError(error, reaching: "\(host.origin)")
        }
        requestedHosts[host] = made
        return made
    }

    private func unmatchedDestination(_ endpoint: UpstreamEndpoint) -> Destination {
        Destination(
            endpoint: endpoint, rules: .init(host: endpoint.hostLine, credentialName: nil, keepsAuthorization: true),
            timeouts: BackendTimeouts(limits))
    }

    private func dropUnused() {
        let fixed = Set(destinations.compactMap { $0?.endpoint }.map(ObjectIdentifier.init))
        endpoints = endpoints.filter { $0.value.connectionCount > 0 || fixed.contains(ObjectIdentifier($0.value)) }
        requestedHosts = requestedHosts.filter { $0.value.endpoint.connectionCount > 0 }
        // Where all are in use, they are not gone through again for each host that is new.
        requestedHostLimit = max(Self.leastRequestedHostLimit, 2 * requestedHosts.count)
    }

    /// Where a route has the same origin, its endpoint serves the apps that choose it too.
    private func endpoint(
        _ origin: Origin, _ tls: UpstreamTLS, isConfigured: Bool = true, isChosenByApp: Bool = false
    ) throws(TransportError) -> UpstreamEndpoint {
        let key = EndpointKey(origin: origin, tls: tls, isConfigured: isConfigured)
        if let endpoint = endpoints[key] { return endpoint }
        let identity = origin.scheme == .https ? try identity(tls) : nil
        let context = origin.scheme == .https && identity == nil ? try context(caFile: tls.caFile) : nil
        let endpoint = UpstreamEndpoint(
            origin: origin, tls: context, identity: identity, serverName: tls.serverName, isConfigured: isConfigured,
            isChosenByApp: isChosenByApp, loop: loop, connector: connector, connectTimeout: limits.connectTimeout,
            idle: idle)
        endpoints[key] = endpoint
        return endpoint
    }

    private func identity(_ tls: UpstreamTLS) throws(TransportError) -> ClientIdentity? {
        guard let files = tls.clientCertificate else { return nil }
        let key = UpstreamTLS(caFile: tls.caFile, clientCertificate: files)
        if let identity = identities[key] { return identity }
        let identity = try ClientIdentity(files, caFile: tls.caFile, at: loop.now, logger: logger)
        identities[key] = identity
        return identity
    }

    private func context(caFile: String?) throws(TransportError) -> TLSContext {
        if let context = contexts[caFile ?? ""] { return context }
        let context = try TLSContext(caFile: caFile)
        contexts[caFile ?? ""] = context
        return context
    }
}
