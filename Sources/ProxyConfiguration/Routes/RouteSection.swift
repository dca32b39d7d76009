import HTTPWire
import ProxyCore
import TokenManager

/// Reads one item of `routes`.
enum RouteSection {
    enum Key: String, CaseIterable {
        case name
        case match
        case upstream
        case host
        case credential
        case authorization
        case refreshOn
        case timeouts
        case allowPlaintext
        case tls
        case connect
        case upstreamProxy
    }

    enum HostWord: String, CaseIterable {
        case upstream
        case preserve
    }

    private enum AuthorizationWord: String, CaseIterable {
        case replace
        case keep
    }

    /// Reads a route.
    ///
    /// - Parameters:
    ///   - setting: The item.
    ///   - defaults: The settings of all routes.
    ///   - context: The state of all readers.
    /// - Returns: The route; nil after a problem.
    static func read(_ setting: Setting, defaults: RouteDefaults, _ context: LoadContext) -> RouteDraft? {
        let problems = context.problems
        guard var keys = MappingReader<Key>(setting, problems) else { return nil }
        let name = keys.take(.name).map { (place: $0.place, text: RouteName.read($0, problems)) }
        let upstream = keys.take(.upstream)
        let url = upstream.map { $0.parsed(problems, what: "a URL", URLText.upstream) }
        let origin = url.map { $0?.origin }
        let match = match(&keys, hasUpstream: upstream != nil, problems)
        let host = keys.take(.host).flatMap { $0.word(HostWord.self, problems) }
        let credential = keys.take(.credential)
        let authorization = keys.take(.authorization).flatMap { $0.word(AuthorizationWord.self, problems) }
        let refreshSetting = keys.take(.refreshOn)
        let refresh = refreshSetting.flatMap { RefreshSection.read($0, problems) }
        keys.refuse(
            former: "retryOn401",
            "write refreshOn: invalidToken, unauthorized (every 401, formerly any), never or a list of conditions")
        let allowsPlaintext = keys.take(.allowPlaintext)?.boolean(problems) ?? false
        let timeouts = keys.take(.timeouts).flatMap { TimeoutsSection.read($0, problems) }
        let tls = RouteTLSSection.read(keys.take(.tls), toward: origin ?? nil, defaults: defaults.tls, context)
        let connect = keys.take(.connect).flatMap { $0.word(ConnectPolicy.self, problems) }
        let proxySetting = keys.take(.upstreamProxy)
        let proxy = proxySetting.map { UpstreamProxySection.read($0, context) } ?? defaults.upstreamProxy
        keys.finish(context: "of a route")
        let credentialName = credential.flatMap { $0.text(problems, what: "the name of a credential or none") }
        if let refreshSetting, let refresh, !refresh.isNever, credentialName == "none" || credential == nil {
            context.warnings.add(
                .settingWithoutEffect, refreshSetting.place,
                "has no effect on a route without a credential; add credential, or remove refreshOn")
        }
        if let name, name.text == nil { return nil }
        if let origin, origin == nil { return nil }
        guard let match, let tls else { return nil }
        let route = Route(
            name: name?.text ?? RouteName.standard(for: match.host, upstream: origin ?? nil), match: match,
            upstream: (origin ?? nil).map { .origin($0) } ?? .requestedHostOverTLS,
            upstreamPath: (url ?? nil)?.path ?? "", preservesHost: host == .preserve,
            credential: credentialName == "none" ? nil : credentialName,
            authorization: authorization == .keep ? .keep : .replace, refreshOn: refresh ?? .invalidToken,
            allowPlaintext: allowsPlaintext, timeouts: timeouts ?? RouteTimeouts(), tls: tls, connect: connect,
            upstreamProxy: proxy)
        return RouteDraft(
            route: route, place: setting.place, namePlace: name?.place,
            credentialPlace: credential?.place ?? setting.place,
            upstreamPlace: upstream?.place ?? setting.place, proxyPlace: proxySetting?.place)
    }

    /// The requests that the route takes; without `match`, only those of gateways.
    private static func match(
        _ keys: inout MappingReader<Key>, hasUpstream: Bool, _ problems: ProblemList
    ) -> RouteMatch? {
        let advice = "write which requests it takes, as in match: { host: backend.example }"
        if hasUpstream, keys.take(.match) == nil { return RouteMatch(host: .nothing, port: .any) }
        return keys.require(.match, advice).flatMap { MatchSection.read($0, hasUpstream: hasUpstream, problems) }
    }
}

/// A route that was read, and is not yet checked against the rest of the configuration.
struct RouteDraft {
    var route: Route
    /// The place of the route.
    let place: Place
    /// The place of `name`; nil without one.
    let namePlace: Place?
    let credentialPlace: Place
    let upstreamPlace: Place
    /// The place of the route's own `upstreamProxy`; nil without one.
    var proxyPlace: Place?
    /// The setting that allows plain text for this route, as named in messages.
    var plaintextAdvice = "allowPlaintext: true"
}

/// Names of routes, for logs and metrics.
enum RouteName {
    static func read(_ setting: Setting, _ problems: ProblemList) -> String? {
        guard let name = setting.text(problems, what: "a name") else { return nil }
        guard KeyText.isName(name) else {
            setting.refuse(problems, "is not a name; write letters, digits, \".\", \"_\" and \"-\"")
            return nil
        }
        return name
    }

    /// The name of a route without `name`: its host, else that of its upstream.
    static func standard(for host: HostPattern, upstream: Origin? = nil) -> String {
        switch host {
        case .exact(let host): host
        case .suffix(let suffix): "*\(suffix)"
        case .nothing: upstream?.host ?? "any"
        }
    }

    /// Makes the names of routes without `name` unique: `a.example`, `a.example-2`, `a.example-3`.
    ///
    /// Two equal names that a person chose are reported.
    static func makeUnique(_ routes: inout [RouteDraft], _ problems: ProblemList) {
        var taken: Set<String> = []
        for route in routes {
            guard let place = route.namePlace, !taken.insert(route.route.name).inserted else { continue }
            problems.add(
                place,
                "is the name of another route too; give each route its own name"
                    + ValueQuotation.suffix(route.route.name))
        }
        for index in routes.indices where routes[index].namePlace == nil {
            let host = routes[index].route.name
            var count = 1
            while !taken.insert(routes[index].route.name).inserted {
                count += 1
                routes[index].route.name = "\(host)-\(count)"
            }
        }
    }
}

/// Reads `timeouts` of a route: the timeouts for its backend.
enum TimeoutsSection {
    enum Key: String, CaseIterable {
        case response
        case streamIdle
        case tunnelIdle
    }

    static func read(_ setting: Setting, _ problems: ProblemList) -> RouteTimeouts? {
        guard var keys = MappingReader<Key>(setting, problems) else { return nil }
        let response = keys.take(.response)?.duration(LimitsSection.timeouts, problems)
        let streamIdle = keys.take(.streamIdle)?.duration(LimitsSection.timeouts, problems)
        let tunnelIdle = keys.take(.tunnelIdle)?.duration(LimitsSection.timeouts, problems)
        keys.finish(context: "of timeouts")
        return RouteTimeouts(response: response, streamIdle: streamIdle, tunnelIdle: tunnelIdle)
    }
}
