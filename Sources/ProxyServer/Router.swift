import EventTransport
import HTTPWire
import ProxyCore
import TokenManager

/// Finds the destination of a request and keeps the endpoints that requests go to.
///
/// Confined to the worker's loop. Endpoints of routes live as long as the worker; those of hosts that only a request
/// named go when their last connection has closed.
final class Router {
    private struct EndpointKey: Hashable {
        var origin: Origin
        var tls: UpstreamTLS
        var isConfigured: Bool
    }

    private let table: RouteTable
    private let loop: EventLoop
    private let connector: Connector
    private let connectTimeout: Duration
    private var destinations: [Destination?] = []
    private var endpoints: [EndpointKey: UpstreamEndpoint] = [:]
    private var contexts: [String: TLSContext] = [:]
    private let credentialNames: [[UInt8]?]
    private let credentialIndices: [Int?]

    /// More endpoints that no route names than this, and the unused ones are dropped.
    private static let dynamicEndpointLimit = 1000

    /// - Throws: where a CA file cannot be used.
    init(
        table: RouteTable, credentials: [CredentialConfiguration], loop: EventLoop, connectTimeout: Duration
    ) throws(TransportError) {
        self.table = table
        self.loop = loop
        self.connectTimeout = connectTimeout
        connector = Connector(loop: loop)
        credentialIndices = table.routes.map { route in credentials.firstIndex { $0.name == route.credential } }
        credentialNames = credentialIndices.map { index in
            index.map { Array(credentials[$0].header.lowercased().utf8) }
        }
        for (index, route) in table.routes.enumerated() {
            guard let origin = RouteTable.fixedOrigin(of: route) else {
                destinations.append(nil)
                continue
            }
            destinations.append(destination(routeIndex: index, endpoint: try endpoint(origin, route.tls, true)))
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
            let endpoint = try dynamicEndpoint(origin, table.routes[index].tls, isConfigured: true)
            let destination = destination(routeIndex: index, endpoint: endpoint)
            try checkTrace(head, in: bytes, destination)
            return destination
        case .unmatched(let origin):
            let endpoint = try dynamicEndpoint(origin, UpstreamTLS(), isConfigured: false)
            return Destination(
                endpoint: endpoint,
                rules: .init(host: endpoint.hostLine, credentialName: nil, keepsAuthorization: true), credential: nil,
                routeIndex: nil)
        case .denied: throw Refusals.destination(head, in: bytes)
        case .notForAProxy: throw Refusals.notForAProxy
        }
    }

    func drain() {
        for endpoint in endpoints.values { endpoint.drain() }
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
                keepsAuthorization: table.routes[index].authorization == .keep),
            credential: credentialIndices[index], routeIndex: index)
    }

    private func dynamicEndpoint(
        _ origin: Origin, _ tls: UpstreamTLS, isConfigured: Bool
    ) throws(ProxyError) -> UpstreamEndpoint {
        if endpoints.count > table.routes.count + Self.dynamicEndpointLimit {
            let fixed = destinations.compactMap { $0?.endpoint }.map(ObjectIdentifier.init)
            endpoints = endpoints.filter { $0.value.connectionCount > 0 || fixed.contains(ObjectIdentifier($0.value)) }
        }
        do throws(TransportError) {
            return try endpoint(origin, tls, isConfigured)
        } catch {
            throw ProxyError(error, reaching: "\(origin)")
        }
    }

    private func endpoint(
        _ origin: Origin, _ tls: UpstreamTLS, _ isConfigured: Bool
    ) throws(TransportError) -> UpstreamEndpoint {
        let key = EndpointKey(origin: origin, tls: tls, isConfigured: isConfigured)
        if let endpoint = endpoints[key] { return endpoint }
        let context = origin.scheme == .https ? try context(caFile: tls.caFile) : nil
        let endpoint = UpstreamEndpoint(
            origin: origin, tls: context, serverName: tls.serverName, isConfigured: isConfigured, loop: loop,
            connector: connector, connectTimeout: connectTimeout)
        endpoints[key] = endpoint
        return endpoint
    }

    private func context(caFile: String?) throws(TransportError) -> TLSContext {
        if let context = contexts[caFile ?? ""] { return context }
        let context = try TLSContext(caFile: caFile)
        contexts[caFile ?? ""] = context
        return context
    }
}
