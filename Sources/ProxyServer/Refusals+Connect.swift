import HTTPWire
import ProxyCore

/// The errors of a CONNECT that opens no tunnel.
extension Refusals {
    static func connect(_ head: borrowing RequestHead, in bytes: Span<UInt8>, _ table: RouteTable) -> ProxyError {
        guard case .authority(let host, let port) = head.target else {
            preconditionFailure("a CONNECT without an authority was parsed")
        }
        let name = text(host, in: bytes)
        let routes = table.routeIndices(forConnectTo: host, port: port, in: bytes).map { table.routes[$0] }
        let isDefault = port == 443 || port == 80
        let isBare = routes.isEmpty || table.takesDefaultPort(host, in: bytes)
        let place = name + (isDefault && isBare ? "" : ":\(port)")
        guard !routes.isEmpty || port == 80 && table.unmatched == .forward else {
            if let route = table.firstRoute(forHost: host, in: bytes) {
                return ProxyError(
                    .connectDenied(.addRoute),
                    "Route \(route.name) takes \(name), but only \(taken(by: route, instead: .port)), and connect.allow does not "
                        + "list \(name):\(port). Correct the port, add a route with match.port: \(port), or add \(name):\(port) "
                        + "to connect.allow")
            }
            return ProxyError(
                .connectDenied(.addRoute),
                "No route matches \(name):\(port), and connect.allow does not list it. Add a route (or a --backend) and ask for "
                    + "http://\(place)/, add it to connect.allow, or let the client bypass the proxy for this host (NO_PROXY)"
            )
        }
        let advice = ConnectAdvice(port: port)
        let reason =
            if routes.contains(where: { $0.credential != nil }) {
                "A CONNECT tunnel cannot carry a credential."
            } else if let route = routes.first(where: { $0.connect == .deny }) {
                "Route \(route.name) has connect: deny."
            } else {
                "connect.allow does not list \(name):\(port)."
            }
        let terminate = routes.isEmpty ? "" : ", or set connect: terminate in its route"
        let sentence =
            switch advice {
            case .askForHTTP, .addRoute, .goElsewhere:
                "Ask for http://\(place)/ instead of https://\(place)/; the route decides whether TLS is used to the backend"
            case .doNotTunnel:
                "Send GET http://\(place)/ to the proxy without CONNECT, in undici by ProxyAgent's proxyTunnel: false\(terminate)"
            case .askForHTTPWithoutTunnel:
                "Ask for http://\(place)/ instead of https://\(place)/; a client that tunnels http:// too must send it without "
                    + "CONNECT, in undici by ProxyAgent's proxyTunnel: false\(terminate)"
            }
        return ProxyError(.connectDenied(advice), "\(reason) \(sentence)")
    }

    static func forbiddenTunnel(_ head: borrowing RequestHead, in bytes: Span<UInt8>) -> ProxyError {
        guard case .authority(let host, let port) = head.target else {
            preconditionFailure("a CONNECT without an authority was parsed")
        }
        return ProxyError(
            .connectDenied(.goElsewhere),
            "connect.deny lists \(text(host, in: bytes)):\(port), so no tunnel may lead there; name another destination, or "
                + "change connect.deny")
    }

    /// The refusal of a request inside a terminated tunnel that names another host.
    static func otherHost(than tunnel: TerminatedTunnel) -> ProxyError {
        ProxyError(
            .tunnelHostMismatch,
            "The Host field of the request is not the destination of its CONNECT tunnel, \(tunnel.place); correct the client, or "
                + "let it open another tunnel")
    }

    /// The refusal of TLS inside a terminated tunnel.
    static func tls(inside tunnel: TerminatedTunnel) -> ProxyError {
        ProxyError(
            .tlsInTunnel,
            "A TLS handshake arrived in the CONNECT tunnel to \(tunnel.place), which attache terminates "
                + "(connect: terminate); ask for http:// instead of https://, or set connect: tunnel in the route, without a "
                + "credential")
    }
}
