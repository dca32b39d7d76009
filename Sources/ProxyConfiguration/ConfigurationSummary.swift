import HTTPWire
package import ProxyCore
import TokenManager

/// A summary of a configuration in a few lines, without secrets and their paths.
package struct ConfigurationSummary: Equatable, Sendable, CustomStringConvertible {
    /// `1 listener, 2 credentials, 3 routes`.
    package let counts: String
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
            "credential  \($0.name): \($0.source.summary)\(used.contains($0.name) ? "" : ", not used")"
        }
        routes = configuration.routes.map { "\($0.name): \(Self.text(of: $0))" }
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
            let ranges = configuration.allowAddresses.map(\.description).joined(separator: ", ")
            lines.append("allow       addresses \(ranges)")
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

    /// A route without its name: `host -> upstream, credential`.
    package static func text(of route: Route) -> String {
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
        return "\(text(of: route.match)) -> \(upstream)\(way), \(credential)\(host)\(refusal)\(connect)"
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
