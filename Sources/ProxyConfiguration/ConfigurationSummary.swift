import HTTPWire
import ProxyCore
import TokenManager

/// A summary of a configuration in a few lines, without secrets and their paths.
package struct ConfigurationSummary: Equatable, Sendable, CustomStringConvertible {
    /// `1 listener, 2 credentials, 3 routes`.
    private let counts: String
    package let lines: [String]
    /// One line for each route: `name: host -> upstream, credential`.
    package let routes: [String]
    /// The treatment of requests without a route: `denied` or `forwarded without a credential`.
    package let unmatched: String

    package init(_ configuration: Configuration) {
        counts = [
            Self.count(configuration.listeners.count, "listener"),
            Self.count(configuration.credentials.count, "credential"), Self.count(configuration.routes.count, "route"),
        ].joined(separator: ", ")
        var lines = configuration.listeners.map { "listen      \($0.summary)" }
        if let admin = configuration.admin { lines.append("admin       \(admin)") }
        let used = Set(configuration.routes.compactMap(\.credential))
        lines += configuration.credentials.map {
            "credential  \($0.name): \(Self.text(of: $0.source))\(used.contains($0.name) ? "" : ", not used")"
        }
        routes = configuration.routes.map(Self.text)
        lines += routes.map { "route       \($0)" }
        if !configuration.connect.allow.isEmpty {
            let places = configuration.connect.allow.map(Self.text).joined(separator: ", ")
            lines.append("connect     tunnels to \(places)")
        }
        if !configuration.connect.deny.isEmpty {
            let places = configuration.connect.deny.map(Self.text).joined(separator: ", ")
            lines.append("connect     never to \(places)")
        }
        if !configuration.allowAddresses.isEmpty {
            lines.append("allow       addresses \(configuration.allowAddresses.joined(separator: ", "))")
        }
        if let proxy = configuration.tokenServerProxy {
            lines.append("tokens      through the parent proxy \(Self.text(of: proxy))")
        }
        unmatched = configuration.unmatched == .deny ? "denied" : "forwarded without a credential"
        let way = configuration.unmatched == .deny ? nil : configuration.upstreamProxy
        lines.append("unmatched   \(unmatched)\(way.map { ", through the parent proxy \(Self.text(of: $0))" } ?? "")")
        self.lines = lines
    }

    /// The first line of `check`: whether the configuration is accepted, and what it consists of.
    package func verdict(warnings: Int, isStrict: Bool) -> String {
        guard warnings > 0 else { return "ok: \(counts)" }
        let found = Self.count(warnings, "warning")
        return isStrict
            ? "refused, because --strict treats \(found) as an error: \(counts)" : "ok, with \(found): \(counts)"
    }

    package var description: String { lines.joined(separator: "\n") }

    private static func count(_ number: Int, _ thing: String) -> String {
        "\(number) \(thing)\(number == 1 ? "" : "s")"
    }

    private static func text(of source: CredentialSource) -> String {
        switch source {
        case .mobileClientAccess(let client): "mobileClientAccess at \(text(of: client.tokenURL))"
        case .appId(let client): "appId at \(text(of: client.tokenURL))"
        case .ibmIam(let client): "ibmIam at \(text(of: client.tokenURL))"
        case .clientCredentials(let client): "clientCredentials at \(text(of: client.endpoint))"
        case .jwtBearer(let client): "jwtBearer at \(text(of: client.endpoint))"
        case .tokenExchange(let client): "tokenExchange at \(text(of: client.endpoint))"
        case .refreshToken(let client): "refreshToken at \(text(of: client.endpoint))"
        case .signedJwt: "signedJwt"
        case .githubApp(let app): "githubApp at \(text(of: app.tokenURL))"
        case .metadata(let server): "metadata at \(text(of: server.tokenURL))"
        case .file: "file"
        case .fixed: "static"
        }
    }

    private static func text(of endpoint: TokenEndpoint) -> String {
        switch endpoint {
        case .url(let url): text(of: url)
        case .issuer(let issuer): "what \(text(of: issuer.url)) says"
        }
    }

    /// The URL without its path and query, which may hold a secret.
    private static func text(of url: TokenURL) -> String { "\(url.scheme.rawValue)://\(url.authority)" }

    private static func text(of route: Route) -> String {
        let upstream =
            switch route.upstream {
            case .origin(let origin): "\(origin)\(route.upstreamPath)"
            case .requestedHostOverTLS: "the same host over https"
            }
        let credential = route.credential.map { "credential \($0)" } ?? "no credential"
        let refusal = route.deniesHTTPSTargets && route.match.host != .nothing ? ", https:// URLs refused" : ""
        let host = route.preservesHost ? ", host: preserve" : ""
        let connect = route.connect.map { ", connect: \($0.rawValue)" } ?? ""
        let way = proxy(of: route).map { ", through the parent proxy \(text(of: $0))" } ?? ""
        return "\(route.name): \(text(of: route.match)) -> \(upstream)\(way), \(credential)\(host)\(refusal)\(connect)"
    }

    /// The parent proxy on the way to the upstream, or to some of the requested hosts.
    private static func proxy(of route: Route) -> UpstreamProxy? {
        guard let proxy = route.upstreamProxy, case .origin(let origin) = route.upstream else {
            return route.upstreamProxy
        }
        return proxy.leads(to: origin.host, port: origin.port) ? proxy : nil
    }

    private static func text(of proxy: UpstreamProxy) -> String { "\(Host.inURI(proxy.host)):\(proxy.port)" }

    private static func text(of pattern: ConnectRules.Pattern) -> String { "\(text(of: pattern.host)):\(pattern.port)" }

    private static func text(of host: HostPattern) -> String {
        switch host {
        case .exact(let host): Host.inURI(host)
        case .suffix(let suffix): "*\(suffix)"
        case .nothing: "gateway"
        }
    }

    private static func text(of match: RouteMatch) -> String {
        let host = text(of: match.host)
        let port =
            switch match.port {
            case .any, .schemeDefault: ""
            case .exactly(let port): ":\(port)"
            }
        let methods = match.methods.isEmpty ? "" : "\(match.methods.joined(separator: ",")) "
        return methods + host + port + (match.pathPrefix.map { "\($0)…" } ?? "")
    }
}
