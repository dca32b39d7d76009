import HTTPWire
import ProxyCore

/// The errors of requests that are refused for their destination or method.
enum Refusals {
    static let trace = ProxyError(
        .traceDenied,
        "TRACE is refused on a route with a credential, because the response would show the credential to the app; use "
            + "another method")

    /// Whether a backend's response may contain the request itself.
    ///
    /// Methods are case-sensitive, but some backends ignore case; some call their own TRACE `TRACK`.
    static func asksForTrace(_ head: borrowing RequestHead, in bytes: Span<UInt8>) -> Bool {
        guard head.methodName.count == 5 else { return false }
        for name in ["trace", "track"] where ASCII.equalsIgnoringCase(bytes, head.methodName, name) {
            return true
        }
        return false
    }

    static let ambiguousCredential = ProxyError(
        .ambiguousCredential,
        "The request carries more than one credential (in Authorization, or in the field of the route's credential), and the "
            + "backend could use any of them; send one")

    static let notForAProxy = ProxyError(
        .notForAProxy,
        "This is a forward proxy: send the whole URL in the request line (GET http://host/path HTTP/1.1), "
            + "as clients do with HTTP_PROXY set. For an app that takes a base URL, open a gateway (mode: gateway, "
            + "or --gateway)")

    /// The end of a request whose app closes its connection; only the access log shows it.
    static let clientGone = ProxyError(
        .clientGone,
        "The app closed its connection before its response was complete; if that is unexpected, check the app's timeouts"
    )

    /// The same for an app that ends its side in the middle of its request.
    static let requestCut = ProxyError(
        .clientGone, "The app closed its side of the connection before its request was complete; correct the app")

    static func cameBack(to via: ViaName) -> ProxyError {
        ProxyError(
            .loop,
            "This attache process already forwarded the request (Via: \(via.text)), and the request came back. Name the backend "
                + "itself as the upstream or in the URL, not an address through which requests reach attache")
    }

    /// The refusal of a request that no route of `table`, the listener's, takes; `whole` has all routes.
    static func destination(
        _ head: borrowing RequestHead, in bytes: Span<UInt8>, _ table: RouteTable, of whole: RouteTable
    ) -> ProxyError {
        guard case .absolute(_, let host, let port, _) = head.target else { return notForAProxy }
        let place = text(host, in: bytes) + (port.map { ":\($0)" } ?? "")
        if let index = whole.decide(head, in: bytes).routeIndex {
            return ProxyError(
                .destinationDenied,
                "Route \(whole.routes[index].name) takes \(place), but this listener does not serve it; add the route to routes of "
                    + "the listener, or use another listener")
        }
        let forward = "or set unmatched: forward to forward requests without a credential"
        guard let (route, miss) = table.nearestMiss(head, in: bytes) else {
            return ProxyError(
                .destinationDenied, "No route matches \(place); add one to routes (or a --backend), \(forward)")
        }
        return ProxyError(
            .destinationDenied,
            "No route matches this request. Route \(route.name) takes the host of \(place), but only "
                + "\(taken(by: route, instead: miss)); correct the request, add another route, \(forward)")
    }

    /// The values that the route takes in place of the part that does not match, in ASCII.
    static func taken(by route: Route, instead miss: RouteMiss) -> String {
        let match = route.match
        return switch miss {
        case .port:
            switch match.port {
            case .exactly(let number): "port \(number)"
            case .schemeDefault, .any: "port 80, 443 or none"
            }
        case .path: match.pathPrefix.map { "paths that begin with \($0)" } ?? "paths without a segment . or .."
        case .method: "the method \(match.methods.joined(separator: " or "))"
        }
    }

    static func plaintext(_ head: borrowing RequestHead, in bytes: Span<UInt8>, _ route: Route) -> ProxyError {
        guard case .absolute(_, let host, let port, _) = head.target else { return notForAProxy }
        let place = text(host, in: bytes) + (port.map { ":\($0)" } ?? "")
        return ProxyError(
            .plaintextDenied,
            "https://\(place) was requested, but the upstream of route \(route.name) is http://. Give the route an https:// "
                + "upstream, or set its allowPlaintext: true (--allow-plaintext) to send such requests in plain text")
    }

    static func text(_ range: ByteRange, in bytes: Span<UInt8>) -> String {
        var copy: [UInt8] = []
        copy.append(copying: bytes, range)
        return String(decoding: copy, as: UTF8.self)
    }
}
