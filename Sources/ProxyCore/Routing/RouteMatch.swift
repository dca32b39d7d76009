/// What a request's target and method must be for a route to take it: all parts must match.
package struct RouteMatch: Equatable, Sendable {
    package let host: HostPattern
    package let port: PortPattern
    /// A prefix that begins with `/`; nil matches every path.
    package let pathPrefix: String?
    /// The methods, compared exactly (RFC 9110 section 9.1); empty matches every method.
    package let methods: [String]

    package init(host: HostPattern, port: PortPattern, pathPrefix: String? = nil, methods: [String] = []) {
        self.host = host
        self.port = port
        self.pathPrefix = pathPrefix
        self.methods = methods
    }

    /// Whether some path can match a prefix; no path matches a prefix with a dot segment, which the backend could
    /// resolve.
    package static func isReachable(pathPrefix: String) -> Bool { PathPattern.isReachable(pathPrefix) }
}
