import HTTPWire
import ProxyCore

/// Makes a route from `--backend URL`, or from the URL of `--gateway ADDRESS=URL`.
enum BackendRoute {
    static func read(_ setting: Setting, credential: String?, allowsPlaintext: Bool, _ problems: ProblemList)
        -> RouteDraft?
    {
        guard let url = setting.parsed(problems, what: "a URL", URLText.backend) else { return nil }
        let match = RouteMatch(
            host: .exact(url.host), port: url.port.map { .exactly($0) } ?? .schemeDefault)
        return route(url, match, setting.place, credential: credential, allowsPlaintext: allowsPlaintext)
    }

    /// The route of a gateway listener, which takes no other request.
    static func gateway(
        _ url: URLText, _ place: Place, credential: String?, allowsPlaintext: Bool
    ) -> RouteDraft {
        route(
            url, RouteMatch(host: .nothing, port: .any), place, credential: credential,
            allowsPlaintext: allowsPlaintext)
    }

    private static func route(
        _ url: URLText, _ match: RouteMatch, _ place: Place, credential: String?, allowsPlaintext: Bool
    ) -> RouteDraft {
        let host = Host.inURI(url.host)
        let route = Route(
            name: url.port.map { "\(host):\($0)" } ?? host,
            match: match, upstream: .origin(url.origin), upstreamPath: url.path, credential: credential,
            allowPlaintext: allowsPlaintext)
        return RouteDraft(
            route: route, place: place, namePlace: nil, credentialPlace: place, upstreamPlace: place,
            plaintextAdvice: OptionName.allowPlaintext.advice)
    }
}
