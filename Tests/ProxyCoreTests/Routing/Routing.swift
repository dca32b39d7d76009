import HTTPWire
import ProxyCore
import Testing

/// What a table decides about a target.
func decide(_ table: RouteTable, _ target: String, method: String = "GET") throws -> RouteDecision {
    let bytes = latin1(head(["\(method) \(target) HTTP/1.1", "Host: other.example"]))
    let head = try #require(try RequestHead.parse(bytes.span, limits: HeadLimits()))
    return table.decide(head, in: bytes.span)
}

extension Route {
    /// A route of the host to an upstream of its own, named by its number.
    static func fixed(
        _ host: HostPattern, port: PortPattern = .any, path: String? = nil, methods: [String] = [], to number: Int = 0
    ) -> Route {
        Route(
            name: "r\(number)", match: RouteMatch(host: host, port: port, pathPrefix: path, methods: methods),
            upstream: .origin(Origin(scheme: .http, host: "u\(number).example", port: 80)), allowPlaintext: true)
    }

    /// A route that goes where it is asked for.
    static func requested(_ host: HostPattern, port: PortPattern = .schemeDefault) -> Route {
        Route(name: "r", match: RouteMatch(host: host, port: port), upstream: .requestedHostOverTLS)
    }
}
