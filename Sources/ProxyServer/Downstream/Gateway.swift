import HTTPWire
import ProxyCore

/// A gateway listener: all of its requests go to one route.
///
/// Confined to the worker's loop.
final class Gateway {
    let destination: Destination
    private let route: Route
    private let routeIndex: Int
    private let number: Int
    private let table: RouteTable
    private let hosts: GatewayHosts
    /// The listener's port; that of URLs without one for a Unix socket.
    private let port: UInt16
    /// Whether the listener is a Unix socket, which no browser reaches, so that requests may name any host.
    private let isLocal: Bool

    /// - Parameters:
    ///   - destination: The destination of the route, for requests to gateways.
    ///   - routeIndex: The route of all requests.
    ///   - table: The routes.
    ///   - number: The number of the route.
    ///   - hosts: The names by which apps may address the listener.
    ///   - port: The listener's port; nil for a Unix socket.
    init(
        to destination: Destination, routeIndex: Int, in table: RouteTable, number: Int, hosts: GatewayHosts,
        port: UInt16?
    ) {
        self.destination = destination
        self.routeIndex = routeIndex
        self.table = table
        self.number = number
        self.hosts = hosts
        self.port = port ?? Scheme.http.defaultPort
        isLocal = port == nil
        route = table.routes[routeIndex]
    }

    /// The destination of a request.
    ///
    /// A target in absolute-form must name the listener (RFC 9112 section 3.2.2), because its sender may take the
    /// listener for a forward proxy.
    ///
    /// - Throws: The refusal of the request.
    @inline(never)
    func destination(of head: borrowing RequestHead, in bytes: Span<UInt8>) throws(Router.Refused) -> Destination {
        switch head.target {
        case .origin, .asterisk: break
        case .absolute(.http, _, let port, _) where port ?? Scheme.http.defaultPort == self.port: break
        case .absolute, .authority: throw refused(GatewayRefusals.notForAGateway(route))
        }
        try check(head, in: bytes)
        if let miss = table.gatewayMiss(head, route: routeIndex, in: bytes) {
            throw refused(GatewayRefusals.miss(miss, of: route))
        }
        if destination.credential != nil, Refusals.asksForTrace(head, in: bytes) { throw refused(Refusals.trace) }
        return destination
    }

    /// Checks the host that a request names, and the page that it comes from.
    private func check(_ head: borrowing RequestHead, in bytes: Span<UInt8>) throws(Router.Refused) {
        if isLocal, head.target.hasNoHost { return }
        do throws(GatewayHosts.Refusal) {
            try hosts.check(head, in: bytes)
        } catch {
            switch (error, head.target) {
            case (.host, .absolute): throw refused(GatewayRefusals.notForAGateway(route))
            case (.host, _): throw refused(GatewayRefusals.host(head, in: bytes))
            case (.origin, _): throw refused(GatewayRefusals.origin)
            case (.opaqueOrigin, _): throw refused(GatewayRefusals.opaqueOrigin)
            }
        }
    }

    private func refused(_ error: ProxyError) -> Router.Refused {
        Router.Refused(error: error, route: number)
    }
}

extension RequestTarget {
    /// Whether only `Host` names a host.
    fileprivate var hasNoHost: Bool {
        switch self {
        case .origin, .asterisk: true
        case .absolute, .authority: false
        }
    }
}
