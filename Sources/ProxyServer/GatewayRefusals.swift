import HTTPWire
import ProxyCore

/// The errors of requests that a gateway listener refuses.
enum GatewayRefusals {
    static func notForAGateway(_ route: Route) -> ProxyError {
        ProxyError(
            .notForAGateway,
            "This listener is the gateway to route \(route.name), not a proxy. Use http:// and its address as the base URL of "
                + "the app, or name a listener with mode: forward in HTTP_PROXY")
    }

    static func host(_ head: borrowing RequestHead, in bytes: Span<UInt8>) -> ProxyError {
        var name: [UInt8] = []
        name.append(copying: bytes, head.namedAuthority())
        return ProxyError(
            .hostDenied,
            "The Host \(String(decoding: name, as: UTF8.self)) is not a name of this gateway. A web page could have made it "
                + "point to this machine. Use an IP address or localhost in the base URL, or add the name to hosts of "
                + "the listener")
    }

    static let origin = ProxyError(
        .originDenied,
        "A web page of another site sent this request through a browser. If the page may use the gateway, add the host of "
            + "its Origin to hosts of the listener")

    static let opaqueOrigin = ProxyError(
        .originDenied,
        "A web page without an address of its own sent this request through a browser (Origin: null): a page from a file, in a "
            + "sandboxed frame, or after a redirect. Serve the page from localhost, or from one of the hosts of the listener"
    )

    static func miss(_ miss: RouteMiss, of route: Route) -> ProxyError {
        ProxyError(
            .destinationDenied,
            "Route \(route.name) of this gateway takes only \(Refusals.taken(by: route, instead: miss)); correct the request, "
                + "or match of the route")
    }
}
