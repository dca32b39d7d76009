import HTTPWire
import ProxyCore

/// Makes a route from `--backend URL`.
enum BackendRoute {
    static func read(_ setting: Setting, credential: String?, allowsPlaintext: Bool, _ problems: ProblemList)
        -> RouteDraft?
    {
        guard let url = setting.parsed(problems, what: "a URL", URLText.init) else { return nil }
        let host = Host.inURI(url.host)
        let route = Route(
            name: url.port.map { "\(host):\($0)" } ?? host,
            match: RouteMatch(
                host: .exact(url.host), port: url.port.map { .exactly($0) } ?? .schemeDefault),
            upstream: .origin(url.origin), credential: credential, allowPlaintext: allowsPlaintext)
        return RouteDraft(
            route: route, place: setting.place, namePlace: nil, credentialPlace: setting.place,
            upstreamPlace: setting.place, plaintextAdvice: OptionName.allowPlaintext.advice)
    }
}
