import HTTPWire
import ProxyConfiguration
import ProxyCore

/// Decides whether a running proxy would send the examination's request by a route; sends nothing.
struct RouteTrial {
    let configuration: Configuration
    let request: Doctor.Request

    /// The label for the part of the host that a pattern such as `*.example` leaves open.
    private static let label = "attache-doctor"

    /// Why the request does not go by the route; nil if it does, at one listener at least.
    func obstacle(to route: Route) -> String? {
        let table = configuration.routeTable
        guard let index = table.routes.firstIndex(where: { $0.name == route.name }) else {
            preconditionFailure("an unknown route was examined")
        }
        let bytes = Array(
            "\(request.method) http://\(Self.authority(route.match))\(request.path) HTTP/1.0\r\n\r\n".utf8)
        do throws(MessageError) {
            guard let head = try RequestHead.parse(bytes.span, limits: HeadLimits(headBytes: 1_048_576)) else {
                preconditionFailure("a complete request has no head")
            }
            return obstacle(to: index, of: table, for: head, in: bytes.span)
        } catch {
            return "Attaché would refuse \(request.method) \(request.path): \(error.reason)"
        }
    }

    private func obstacle(
        to index: Int, of table: RouteTable, for head: borrowing RequestHead, in bytes: Span<UInt8>
    ) -> String? {
        let route = table.routes[index]
        var other: Int?
        for listener in configuration.listeners {
            if listener.mode == .forward {
                let taken = table.serving(listener.routes).decide(head, in: bytes).routeIndex
                if taken == index { return nil }
                other = other ?? taken
            } else if listener.mode.route == route.name, table.gatewayMiss(head, route: index, in: bytes) == nil {
                return nil
            }
        }
        if let other { return "route \(table.routes[other].name) takes \(request.method) \(request.path)" }
        let methods = route.match.methods
        let taken = [
            route.match.pathPrefix.map { "paths below \($0)" },
            methods.isEmpty ? nil : "the method\(methods.count == 1 ? "" : "s") \(methods.joined(separator: ", "))",
        ].compactMap(\.self).joined(separator: " and ")
        return "this route does not take \(request.method) \(request.path)"
            + (taken.isEmpty ? "" : ": it takes \(taken)")
    }

    /// Host and port of a URL that the route takes, in lower case.
    private static func authority(_ match: RouteMatch) -> String {
        let host =
            switch match.host {
            case .exact(let host): Host.inURI(host)
            case .suffix(let suffix): label + suffix
            case .nothing: label
            }
        if case .exactly(let port) = match.port { return "\(host):\(port)" }
        return host
    }
}
