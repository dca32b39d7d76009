/// What a request's target must be like for a route to be taken: all parts must agree.
package struct RouteMatch: Equatable, Sendable {
    package let host: HostPattern
    package let port: PortPattern
    /// Begins with `/`; nil matches every path.
    package let pathPrefix: String?
    /// Compared exactly (RFC 9110 section 9.1); empty matches every method.
    package let methods: [String]

    package init(host: HostPattern, port: PortPattern, pathPrefix: String? = nil, methods: [String] = []) {
        self.host = host
        self.port = port
        self.pathPrefix = pathPrefix
        self.methods = methods
    }

    /// Whether some path can match a prefix; none does that has a dot segment, as the backend could resolve it.
    package static func isReachable(pathPrefix: String) -> Bool { PathPattern.isReachable(pathPrefix) }
}
