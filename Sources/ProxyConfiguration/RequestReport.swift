import HTTPWire
package import ProxyCore

/// What the proxy does with one request, as `check --url` prints it; holds no secret.
package struct RequestReport: Encodable, Equatable, Sendable {
    /// The route that takes the request, and its match.
    package struct TakenBy: Encodable, Equatable, Sendable {
        package let name: String
        let match: Match

        package init(_ route: Route) {
            name = route.name
            match = Match(route.match)
        }
    }

    /// The conditions of a route's match.
    struct Match: Encodable, Equatable, Sendable {
        let host: String
        /// A number, `any`, or `default` for 80, 443 or no port at all.
        let port: String
        let pathPrefix: String?
        let methods: [String]

        init(_ match: RouteMatch) {
            host = RouteName.standard(for: match.host)
            port =
                switch match.port {
                case .any: "any"
                case .schemeDefault: "default"
                case .exactly(let number): "\(number)"
                }
            pathPrefix = match.pathPrefix
            methods = match.methods
        }

        var text: String {
            let port =
                switch port {
                case "any": "any port"
                case "default": "port 80, 443 or none"
                default: "port \(port)"
                }
            var parts = ["host \(host)", port]
            if let pathPrefix { parts.append("path \(pathPrefix)…") }
            if !methods.isEmpty { parts.append("method \(KnownWords.list(methods))") }
            return parts.joined(separator: ", ")
        }
    }

    /// The credential that the request gets.
    package struct Attached: Encodable, Equatable, Sendable {
        let name: String
        /// The header field that carries it.
        let field: String
        /// Whether the app's own credential is forwarded in its place, if it sends one (`authorization: keep`).
        let yieldsToOwn: Bool

        package init(name: String, field: String, yieldsToOwn: Bool) {
            self.name = name
            self.field = field
            self.yieldsToOwn = yieldsToOwn
        }
    }

    /// The response that the app gets instead of the backend's.
    package struct Refusal: Encodable, Equatable, Sendable {
        let status: Int
        /// The error's code: a heading of the page Troubleshooting.
        package let code: String
        package let detail: String

        package init(status: Int, code: String, detail: String) {
            self.status = status
            self.code = code
            self.detail = detail
        }
    }

    let method: String
    /// The URL without its query, which may hold a secret.
    let url: String
    /// The address of the gateway listener that the URL names; nil for a request to a forward proxy.
    let gateway: String?
    /// The forward listeners at which the request gets this report; nil if it is the same at all.
    let listeners: [String]?
    /// The clients that may send it to these listeners; nil if all may.
    let clients: [String]?
    /// Nil if no route takes the request.
    package let route: TakenBy?
    package let credential: Attached?
    /// The origin that the request goes to, with the path before that of the request; nil if it is refused.
    package let upstream: String?
    package let refusal: Refusal?
    /// The parent proxy on the way to the upstream, as `host:port`; nil without one.
    let upstreamProxy: String?
    private let unmatched: String

    package init(
        method: String, url: String, gateway: ListenerConfiguration? = nil,
        listeners: [ListenerConfiguration]? = nil, clients: [String]? = nil, route: TakenBy? = nil,
        credential: Attached? = nil, upstream: Origin? = nil, upstreamPath: String = "",
        through proxy: UpstreamProxy? = nil, refusal: Refusal? = nil, unmatched: UnmatchedPolicy
    ) {
        self.method = method
        self.url = String(url.prefix { $0 != "?" && $0 != "#" })
        self.gateway = gateway.map { "\($0)" }
        self.listeners = listeners?.map { "\($0)" }
        self.clients = clients
        self.route = route
        self.credential = credential
        self.upstream = upstream.map { "\($0)\(upstreamPath)" }
        self.refusal = refusal
        upstreamProxy = upstream.flatMap { origin in
            proxy.flatMap {
                $0.leads(to: origin.host, port: origin.port) ? "\(Host.inURI($0.host)):\($0.port)" : nil
            }
        }
        self.unmatched = unmatched == .deny ? "deny" : "forward"
    }

    /// The report for a person, in lines.
    package var lines: [String] {
        var lines = ["request     \(method) \(url)"]
        if let listeners { lines.append("listeners   \(listeners.joined(separator: ", "))") }
        if let gateway { lines.append("gateway     \(gateway)") }
        if let clients {
            lines.append("clients     \(clients.isEmpty ? "none may use the route" : clients.joined(separator: ", "))")
        }
        lines.append("route       \(route.map { "\($0.name): \($0.match.text)" } ?? "none (unmatched: \(unmatched))")")
        if let credential {
            let exception = credential.yieldsToOwn ? ", unless the app sends its own (authorization: keep)" : ""
            lines.append("credential  \(credential.name), in the field \(credential.field)\(exception)")
        } else if refusal == nil {
            lines.append("credential  none")
        }
        if let upstream { lines.append("upstream    \(upstream)") }
        if let upstreamProxy { lines.append("proxy       \(upstreamProxy)") }
        if let refusal { lines.append("refused     \(refusal.status) \(refusal.code): \(refusal.detail)") }
        return lines
    }
}
