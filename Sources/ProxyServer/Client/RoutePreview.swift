import EventTransport
import HTTPWire
package import ProxyConfiguration
import ProxyCore
import TokenManager

/// Decides what the proxy would do with a request, by the routing table that serves requests, and sends nothing.
package enum RoutePreview {
    /// The URL or the method cannot stand in a request.
    package struct UnusableRequest: Error, Equatable {
        /// The option of `check` that is wrong.
        package let option: String
        package let problem: String

        init(option: String = "--url", problem: String) {
            self.option = option
            self.problem = problem
        }
    }

    /// - Parameters:
    ///   - url: The absolute URL that an app would request.
    ///   - method: The method of the request.
    ///   - configuration: The configuration to use.
    /// - Returns: The route, the credential and the upstream of the request, or its refusal.
    /// - Throws: The error of a URL or method that no request can carry.
    package static func report(
        _ url: String, method: String, of configuration: Configuration
    ) throws(UnusableRequest) -> RequestReport {
        let target = String(url.prefix { $0 != "#" })
        guard method != "CONNECT" else {
            throw UnusableRequest(
                option: "--method", problem: "cannot be CONNECT, which check does not show; leave it out")
        }
        guard !method.isEmpty, method.utf8.allSatisfy({ ASCII.isToken($0) }) else {
            throw UnusableRequest(option: "--method", problem: "is not a method; write one as in POST")
        }
        guard !target.isEmpty, target.utf8.allSatisfy({ (0x21...0x7e).contains($0) }) else {
            throw UnusableRequest(
                problem: "contains a space or another character that a URL cannot have; write it percent-encoded")
        }
        let bytes = Array("\(method) \(target) HTTP/1.0\r\n\r\n".utf8)
        let head: RequestHead?
        do throws(MessageError) {
            head = try RequestHead.parse(bytes.span, limits: HeadLimits(headBytes: 1_048_576))
        } catch {
            throw UnusableRequest(problem: error.reason)
        }
        guard let head, case .absolute = head.target else {
            throw UnusableRequest(problem: "is not a URL; write it as in https://backend.example/path")
        }
        return report(head, in: bytes.span, method: method, url: target, configuration)
    }

    private static func report(
        _ head: borrowing RequestHead, in bytes: Span<UInt8>, method: String, url: String,
        _ configuration: Configuration
    ) -> RequestReport {
        let table = configuration.routeTable
        if let gateway = gateway(of: head, in: bytes, configuration) {
            return report(head, in: bytes, method: method, url: url, to: gateway, table, configuration)
        }
        // Each forward listener may serve other routes; the first one that takes the request shows what happens.
        let forward = configuration.listeners.filter { $0.mode == .forward }
        let tables = forward.map { table.serving($0.routes) }
        let decisions = tables.map { $0.decide(head, in: bytes) }
        let chosen = decisions.firstIndex { $0 != .denied } ?? decisions.startIndex
        let shown = tables.isEmpty ? table : tables[chosen]
        let decision = decisions.isEmpty ? table.decide(head, in: bytes) : decisions[chosen]
        let same = zip(forward, decisions).filter { $0.1 == decision }.map(\.0)
        var (route, origin, error): (Route?, Origin?, ProxyError?)
        switch decision {
        case .route(let index):
            route = table.routes[index]
            origin = RouteTable.fixedOrigin(of: table.routes[index])
        case .requestedHost(let index, let requested): (route, origin) = (table.routes[index], requested)
        case .unmatched(let requested):
            origin = requested
            error = guarded(requested, configuration)
        case .plaintextDenied(let index):
            route = table.routes[index]
            error = Refusals.plaintext(head, in: bytes, table.routes[index])
        case .denied: error = Refusals.destination(head, in: bytes, shown, of: table)
        case .notForAProxy: error = Refusals.notForAProxy
        }
        if error == nil, route?.credential != nil, Refusals.asksForTrace(head, in: bytes) { error = Refusals.trace }
        return RequestReport(
            method: method, url: url, listeners: same.count < forward.count ? same : nil,
            clients: route.flatMap { clients(of: $0, at: same) },
            route: route.map(RequestReport.TakenBy.init),
            credential: error == nil ? credential(of: route, configuration) : nil,
            upstream: error == nil ? origin : nil, upstreamPath: route?.upstreamPath ?? "",
            through: route.map(\.upstreamProxy) ?? configuration.upstreamProxy, refusal: error.map(refusal),
            unmatched: table.unmatched)
    }

    /// The gateway listener that a URL names: its port, and a host by which apps may address it.
    private static func gateway(
        of head: borrowing RequestHead, in bytes: Span<UInt8>, _ configuration: Configuration
    ) -> ListenerConfiguration? {
        guard case .absolute(.http, _, let port, _) = head.target else { return nil }
        for listener in configuration.listeners where listener.address.port == port ?? Scheme.http.defaultPort {
            guard case .gateway(_, let hosts) = listener.mode else { continue }
            do throws(GatewayHosts.Refusal) {
                try GatewayHosts(hosts).check(head, in: bytes)
                return listener
            } catch {
                continue
            }
        }
        return nil
    }

    private static func report(
        _ head: borrowing RequestHead, in bytes: Span<UInt8>, method: String, url: String,
        to gateway: ListenerConfiguration, _ table: RouteTable, _ configuration: Configuration
    ) -> RequestReport {
        guard let index = table.routes.firstIndex(where: { $0.name == gateway.mode.route }) else {
            preconditionFailure("a checked gateway has no route")
        }
        let route = table.routes[index]
        let miss = table.gatewayMiss(head, route: index, in: bytes)
        var error = miss.map { GatewayRefusals.miss($0, of: route) }
        if error == nil, route.credential != nil, Refusals.asksForTrace(head, in: bytes) { error = Refusals.trace }
        return RequestReport(
            method: method, url: url, gateway: gateway, clients: clients(of: route, at: [gateway]),
            route: RequestReport.TakenBy(route),
            credential: error == nil ? credential(of: route, configuration) : nil,
            upstream: error == nil ? RouteTable.fixedOrigin(of: route) : nil, upstreamPath: route.upstreamPath,
            through: route.upstreamProxy, refusal: error.map(refusal), unmatched: table.unmatched)
    }

    /// The clients that may use the route at these listeners; nil if all may.
    private static func clients(of route: Route, at listeners: [ListenerConfiguration]) -> [String]? {
        let allowed = listeners.map { listener in listener.allow?.filter { $0.takes(route.name) } }
        guard !allowed.isEmpty, !allowed.contains(nil) else { return nil }
        return allowed.flatMap { ($0 ?? []).map(\.clients) }
    }

    private static func credential(of route: Route?, _ configuration: Configuration) -> RequestReport.Attached? {
        guard let route, let credential = configuration.credentials.first(where: { $0.name == route.credential }) else {
            return nil
        }
        return RequestReport.Attached(
            name: credential.name, field: credential.header, yieldsToOwn: route.authorization == .keep)
    }

    /// The refusal of an address that only a configured destination may have; a name is resolved only when a request is
    /// sent.
    private static func guarded(_ origin: Origin, _ configuration: Configuration) -> ProxyError? {
        let addresses = AddressGuard(
            .nonPublic, allowing: configuration.allowAddresses.map { AddressRange($0) })
        guard let address = IPAddress(literal: origin.host), !addresses.permits(address) else { return nil }
        let target = Connector.Target(host: origin.host, port: origin.port, addresses: addresses)
        return ProxyError(TransportError(forbidding: [address], of: target), reaching: "\(origin)")
    }

    private static func refusal(_ error: ProxyError) -> RequestReport.Refusal {
        RequestReport.Refusal(
            status: ErrorResponse(error).status, code: "\(error.code)", detail: error.detail)
    }
}
