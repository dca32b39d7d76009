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

/// The hosts that a route takes.
///
/// Hosts are in lower case, IPv6 addresses without brackets.
package enum HostPattern: Equatable, Sendable {
    case exact(String)
    /// An ending of the host with its leading dot: `*.example` is `.example`. At least one byte must precede it.
    case suffix(String)
    /// No host: only gateway listeners use the route.
    case nothing

    /// Whether the pattern takes a host in lower case, without brackets.
    func takes(_ name: String) -> Bool {
        switch self {
        case .exact(let host): name == host
        case .suffix(let suffix): name.utf8.count > suffix.utf8.count && name.hasSuffix(suffix)
        case .nothing: false
        }
    }
}

/// The ports of a request's target that a route takes.
package enum PortPattern: Equatable, Sendable {
    case any
    /// No port in the target, or 80 or 443: the app names `http://host` and means the backend behind it.
    case schemeDefault
    case exactly(UInt16)
}

extension RouteMatch {
    /// Whether this match takes every request that `other` takes, so that a later route with `other` never gets one.
    package func covers(_ other: RouteMatch) -> Bool {
        host.covers(other.host) && port.covers(other.port) && coversPaths(of: other)
            && (methods.isEmpty || !other.methods.isEmpty && other.methods.allSatisfy(methods.contains))
    }

    /// Prefixes are compared segment by segment: `/v1` takes `/v1/a`, not `/v10`.
    private func coversPaths(of other: RouteMatch) -> Bool {
        guard let pathPrefix, pathPrefix != "/" else { return true }
        guard let narrower = other.pathPrefix else { return false }
        return narrower == pathPrefix || narrower.hasPrefix(pathPrefix.hasSuffix("/") ? pathPrefix : "\(pathPrefix)/")
    }
}

extension HostPattern {
    /// Whether it takes every host that the other takes.
    func covers(_ other: HostPattern) -> Bool {
        switch (self, other) {
        case (.exact(let host), .exact(let asked)): host == asked
        case (.exact, .suffix): false
        case (.suffix(let suffix), .exact(let host)): host != suffix && host.hasSuffix(suffix)
        case (.suffix(let suffix), .suffix(let narrower)): narrower.hasSuffix(suffix)
        case (.nothing, _), (_, .nothing): false
        }
    }
}

extension PortPattern {
    fileprivate func covers(_ other: PortPattern) -> Bool {
        switch (self, other) {
        case (.any, _), (.schemeDefault, .schemeDefault): true
        case (.schemeDefault, .exactly(let port)): port == 80 || port == 443
        case (.exactly(let port), .exactly(let narrower)): port == narrower
        case (.exactly, _), (.schemeDefault, .any): false
        }
    }
}
