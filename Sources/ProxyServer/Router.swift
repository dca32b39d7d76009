import EventTransport
import HTTPWire
import ProxyCore
import Signing
import Synchronization
import TokenManager

/// Finds the destination of a request.
///
/// Confined to the worker's loop. Destinations and endpoints of routes live as long as the worker. Those of hosts
/// that only requests name are dropped some time after their last connection has closed or could not be made.
final class Router {
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

    /// The destination of the last `http` target whose authority alone decided, which the next one often repeats.
    private struct LastDestination: ~Copyable {
        /// What the target's head was parsed into, which gives authorities their numbers; kept, so that nothing else gets its
        /// identity.
        private var fields: FieldLines?
        private var fieldsIdentity: ObjectIdentifier?
        private var authorityNumber = 0
        private var destination: Destination?

        init() {}

        init(of head: borrowing RequestHead, _ destination: Destination) {
            fields = head.fields
            fieldsIdentity = head.fieldsIdentity
            authorityNumber = head.authorityNumber
            self.destination = destination
        }

        /// The destination, if the head has the same authority.
        func destination(of head: borrowing RequestHead) -> Destination? {
            head.authorityNumber == authorityNumber && head.fieldsIdentity == fieldsIdentity ? destination : nil
        }
    }

    /// The number of rules that were made; no two have the same number.
    private static let madeRules = Atomic(0)

    let table: RouteTable
    /// The parent proxy for requests without a route.
    private let upstreamProxy: UpstreamProxy?
    private let limits: Limits
    let via: ViaName
    private let numbers: StableNumbers
    /// The plans by the index of the route.
    private let plans = Confined<[Plan]>([])
    private let endpoints: UpstreamEndpoints
    private let last = Confined(LastDestination())
    private var requestedHosts: [RequestedHost: Destination] = [:]
    /// The number of hosts named by requests at which the unused ones are dropped.
    private var requestedHostLimit = Router.leastRequestedHostLimit
    /// The number of endpoints at which a CONNECT drops the unused ones.
    private var endpointLimit = Router.leastRequestedHostLimit
    static let leastRequestedHostLimit = 1000

    /// - Throws: If a CA file or a client certificate is unusable.
    init(
        table: RouteTable, credentials: [CredentialConfiguration], limits: Limits, endpoints: UpstreamEndpoints,
        upstreamProxy: UpstreamProxy? = nil, via: ViaName = ViaName(), numbers: StableNumbers? = nil,
        files: ServedFiles = ServedFiles()
    ) throws(TransportError) {
        self.table = table
        self.limits = limits
        self.endpoints = endpoints
        self.upstreamProxy = upstreamProxy
        self.via = via
        let numbers = numbers ?? StableNumbers(routes: table.routes, credentials: credentials)
        self.numbers = numbers
        let routed = Dictionary(
            zip(credentials, numbers.credentials).map { ($0.name, RoutedCredential($0, number: $1)) }
        ) { first, _ in first }
        for (index, route) in table.routes.enumerated() {
            plans.value.append(Plan(route: route, credential: route.credential.flatMap { routed[$0] }))
            if let origin = RouteTable.fixedOrigin(of: route) {
                let endpoint = try endpoints.endpoint(
                    origin, route.tls, through: route.upstreamProxy, preservesHost: route.preservesHost, files)
                plans.value[index].destination = destination(routeIndex: index, endpoint: endpoint)
            } else {
                try endpoints.prepare(route.tls, route.upstreamProxy, files)
            }
        }
        try endpoints.prepare(UpstreamTLS(), upstreamProxy, files)
        endpoints.add(self)
    }

    deinit { endpoints.remove(ObjectIdentifier(self)) }

    /// The endpoints of routes.
    var fixedEndpoints: [UpstreamEndpoint] { plans.value.compactMap { $0.destination?.endpoint } }

    /// The parent proxies of all routes, and of requests without one.
    var upstreamProxies: [UpstreamProxy] { (table.routes.map(\.upstreamProxy) + [upstreamProxy]).compactMap(\.self) }

    /// A refused request, with the number of the route that it would take, if any.
    struct Refused: Error {
        let error: ProxyError
        var route: Int?
    }

    private func refused(_ error: ProxyError, route index: Int?) -> Refused {
        Refused(error: error, route: index.map { numbers.routes[$0] })
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
                let endpoint = try endpoints.endpoint(
                    origin, UpstreamTLS(), through: proxy(ofRoute: route), trust: trust, isChosenByApp: true,
                    isTunnel: true)
                return .tunnel(bareDestination(endpoint, routeIndex: route))
            } catch {
                throw refused(ProxyError(error, reaching: "\(origin)"), route: route)
            }
        case .terminate(let host, let port, let route):
            return .terminate(TerminatedTunnel(host: host, port: port, route: numbers.routes[route]))
        case .denied(let route):
            throw refused(Refusals.connect(head, in: bytes, table), route: route)
        case .forbidden: throw Refused(error: Refusals.forbiddenTunnel(head, in: bytes))
        }
    }

    /// The destination of a request other than CONNECT, by all routes.
    ///
    /// - Throws: The refusal of the request.
    func destination(of head: borrowing RequestHead, in bytes: Span<UInt8>) throws(Refused) -> Destination {
        guard head.authorityNumber != 0, case .absolute(.http, _, _, _) = head.target else {
            return try destination(of: head, in: bytes, table.decide(head, in: bytes), by: table)
        }
        if let destination = last.value.destination(of: head) {
            try checkTrace(head, in: bytes, destination)
            return destination
        }
        let decision = table.decide(head, in: bytes)
        let destination = try destination(of: head, in: bytes, decision, by: table)
        if case .route(let index) = decision, table.isDecidedByAuthority(index) {
            last.value = LastDestination(of: head, destination)
        }
        return destination
    }

    /// The destination of a request other than CONNECT to a listener with rules of its own.
    ///
    /// - Throws: The refusal of the request.
    func destination(
        of head: borrowing RequestHead, in bytes: Span<UInt8>, by rules: ListenerRules
    ) throws(Refused) -> Destination {
        if let gateway = rules.gateway { return try gateway.destination(of: head, in: bytes) }
        let decision = rules.table.decide(head, in: bytes)
        if decision.routeIndex == nil, let client = rules.client { try client.check(head, in: bytes) }
        return try destination(of: head, in: bytes, decision, by: rules.table)
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
            throw refused(Refusals.plaintext(head, in: bytes, table.routes[index]), route: index)
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
            number: numbers.routes[index], hosts: GatewayHosts(hosts), port: address.tcpAddress?.port)
    }

    /// The numbers of the routes, in the order of the configuration.
    var routeNumbers: [Int] { numbers.routes }

    func routeName(_ number: Int) -> String { numbers.routeNames[number] }

    /// The validity of each route's client certificate, in the order of the configuration; nil without one.
    var certificates: [CertificateValidity?] { table.routes.map { endpoints.certificate(of: $0.tls) } }

    /// The backends' own certificates by the numbers of their routes, as far as a handshake has shown them.
    ///
    /// A route that leaves the host to the request has none.
    var backendCertificates: [Int: BackendCertificate] {
        var found: [Int: BackendCertificate] = [:]
        for (number, plan) in zip(numbers.routes, plans.value) {
            found[number] = plan.destination?.endpoint.certificate
        }
        return found
    }

    /// Refuses TRACE, whose response would show the credential to the app (RFC 9110 section 9.3.8).
    private func checkTrace(
        _ head: borrowing RequestHead, in bytes: Span<UInt8>, _ destination: Destination
    ) throws(Refused) {
        guard destination.credentialNumber >= 0, Refusals.asksForTrace(head, in: bytes) else { return }
        throw Refused(error: Refusals.trace, route: destination.route)
    }

    private func destination(
        routeIndex index: Int, endpoint: UpstreamEndpoint, isGateway: Bool = false
    ) -> Destination {
        let plan = plans.value[index]
        let (path, preservesHost) = (plan.route.upstreamPath, plan.route.preservesHost)
        return Destination(
            endpoint: endpoint,
            rules: .init(
                number: Self.madeRules.add(1, ordering: .relaxed).newValue, host: endpoint.hostLine,
                credentialName: plan.credential?.fieldName,
                keepsAuthorization: plan.route.authorization == .keep,
                provesPossession: plan.credential?.provesPossession ?? false,
                droppedNames: plan.credential?.parameters?.fieldNames ?? [], path: Array(path.utf8),
                preservesHost: preservesHost, via: via, parent: endpoint.askedParent),
            timeouts: BackendTimeouts(limits, plan.route.timeouts),
            tunnelIdle: .tunnelIdle(limits, plan.route.timeouts), credential: plan.credential,
            refreshOn: plan.route.refreshOn,
            urls: isGateway || !path.isEmpty
                ? UpstreamURLs(endpoint.origin, path: path, preservesHost: preservesHost) : nil,
            route: numbers.routes[index])
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
                        endpoint: try endpoints.endpoint(
                            host.origin, table.routes[index].tls, through: proxy(ofRoute: index), isChosenByApp: true))
                } else {
                    bareDestination(
                        try endpoints.endpoint(
                            host.origin, UpstreamTLS(), through: upstreamProxy, trust: .none, isChosenByApp: true))
                }
        } catch {
            throw refused(ProxyError(error, reaching: "\(host.origin)"), route: host.routeIndex)
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
            route: routeIndex.map { numbers.routes[$0] })
    }

    /// Drops what nobody uses of the hosts that only requests or other configurations name.
    func dropUnused() { endpoints.dropUnused() }

    /// Endpoints without a connection were dropped.
    func forgetUnused() {
        requestedHosts = requestedHosts.filter { !$0.value.endpoint.isUnused }
        // If all are in use, the next search waits until their number has doubled.
        requestedHostLimit = max(Self.leastRequestedHostLimit, 2 * requestedHosts.count)
        endpointLimit = max(Self.leastRequestedHostLimit + plans.value.count, 2 * endpoints.count)
    }

    /// The parent proxy for a route that leaves the host to the request, or for a request without a route.
    private func proxy(ofRoute index: Int?) -> UpstreamProxy? {
        index.map { table.routes[$0].upstreamProxy } ?? upstreamProxy
    }
}
