import HTTPWire
import ProxyConfiguration
import ProxyCore

/// The page `/routes`: what each route takes, where it leads, and how its requests ended.
struct RoutesPage {
    let configuration: Configuration
    let numbers: StableNumbers
    let metrics: Metrics

    var document: JSONDocument {
        var withoutRoute = JSONDocument.Members()
        withoutRoute.add("requests", Self.requests(metrics[nil]))
        var members = JSONDocument.Members()
        let routes = zip(configuration.routes, numbers.routes).map { object($0, metrics[$1]) }
        members.add("routes", JSONDocument.list(routes))
        members.add("withoutRoute", JSONDocument.object(withoutRoute.list))
        return .object(members.list)
    }

    private func object(_ route: Route, _ counts: RouteMetrics) -> JSONDocument {
        var members = JSONDocument.Members()
        members.add("name", route.name)
        members.add("match", Self.object(route.match))
        members.add("upstream", Self.upstream(of: route))
        members.add("credential", route.credential)
        members.add("listeners", Self.names(configuration.listeners.filter { $0.forwards(route.name) }))
        members.add("gateways", Self.names(configuration.listeners.filter { $0.mode.route == route.name }))
        members.add("requests", Self.requests(counts))
        members.add("errors", JSONDocument.count(counts.errorCount))
        members.add("retries", Self.retries(counts))
        return .object(members.list)
    }

    private static func object(_ match: RouteMatch) -> JSONDocument {
        var members = JSONDocument.Members()
        switch match.host {
        case .exact(let host): members.add("host", host)
        case .suffix(let suffix): members.add("host", "*\(suffix)")
        case .nothing: break
        }
        switch match.port {
        case .any: members.add("port", "any")
        case .schemeDefault: break
        case .exactly(let port): members.add("port", JSONDocument.count(port))
        }
        members.add("pathPrefix", match.pathPrefix)
        if !match.methods.isEmpty { members.add("methods", JSONDocument.list(match.methods.map { .text($0) })) }
        return .object(members.list)
    }

    /// The upstream; nil for the requested host over TLS.
    private static func upstream(of route: Route) -> String? {
        guard case .origin(let origin) = route.upstream else { return nil }
        return "\(origin)\(route.upstreamPath)"
    }

    private static func names(_ listeners: [ListenerConfiguration]) -> JSONDocument {
        .list(listeners.map { .text("\($0)") })
    }

    /// The number of requests, and that of each class of status codes.
    private static func requests(_ counts: RouteMetrics) -> JSONDocument {
        var members = JSONDocument.Members()
        members.add("total", JSONDocument.count(counts.requestCount))
        for number in 1...5 { members.add("\(number)xx", JSONDocument.count(counts.count(ofClass: number))) }
        members.add("cut", JSONDocument.count(counts.count(ofClass: 0)))
        return .object(members.list)
    }

    private static func retries(_ counts: RouteMetrics) -> JSONDocument {
        var members = JSONDocument.Members()
        for retry in Retry.allCases { members.add(retry.rawValue, JSONDocument.count(counts.retries[retry])) }
        return .object(members.list)
    }
}
