import HTTPWire

/// A route's match in a form that is compared with the bytes of a head.
///
/// A class, because each request would retain and release the arrays of a struct.
final class RouteMatcher: Sendable {
    /// In lower case; a suffix begins with its dot.
    private let host: [UInt8]
    private let isSuffix: Bool
    private let port: PortPattern
    private let path: PathPattern
    /// Apart from the pattern, whose bytes each request would retain and release.
    private let takesAllPaths: Bool
    private let methods: [String]

    init(_ route: Route) {
        let match = route.match
        switch match.host {
        case .exact(let text): (host, isSuffix) = (Array(text.utf8), false)
        case .suffix(let text): (host, isSuffix) = (Array(text.utf8), true)
        case .nothing: (host, isSuffix) = ([], false)
        }
        port = match.port
        path = PathPattern(prefix: match.pathPrefix, isConfined: !route.upstreamPath.isEmpty)
        takesAllPaths = path.takesAll
        methods = match.methods
    }

    /// Whether the route takes a request; case does not matter in the host that `TargetHost` lends (RFC 3986 section
    /// 3.2.2).
    func matches(
        _ head: borrowing RequestHead, host: Span<UInt8>, port: UInt16?, path: ByteRange, in bytes: Span<UInt8>
    ) -> Bool {
        guard matches(host), self.port.matches(port, of: head.target) else { return false }
        return (takesAllPaths || self.path.matches(path, in: bytes)) && isAllowed(head.methodName, in: bytes)
    }

    var hostText: String { String(decoding: host, as: UTF8.self) }

    /// Whether the route takes every path and method.
    var takesAllOfHost: Bool { takesAllPaths && methods.isEmpty }

    /// Why the route does not take a request for its host; nil if its host is another or the route takes it.
    func miss(
        _ head: borrowing RequestHead, host: Span<UInt8>, port: UInt16?, path: ByteRange, in bytes: Span<UInt8>
    ) -> RouteMiss? {
        guard matches(host) else { return nil }
        guard self.port.matches(port, of: head.target) else { return .port }
        return missBelowHost(head, path: path, in: bytes)
    }

    /// Why the route does not take a request, whatever its host; nil if the route takes it.
    func missBelowHost(_ head: borrowing RequestHead, path: ByteRange, in bytes: Span<UInt8>) -> RouteMiss? {
        guard self.path.matches(path, in: bytes) else { return .path }
        return isAllowed(head.methodName, in: bytes) ? nil : .method
    }

    /// Whether the route takes a target with this host and port, whatever its path.
    func takes(host: Span<UInt8>, port: UInt16?, of target: RequestTarget) -> Bool {
        matches(host) && self.port.matches(port, of: target)
    }

    /// Whether the route is for this host, whatever the port.
    func takes(host: Span<UInt8>) -> Bool { matches(host) }

    private func matches(_ asked: Span<UInt8>) -> Bool {
        // A host is never empty, so a route without a host takes none.
        guard isSuffix ? asked.count > host.count : asked.count == host.count else { return false }
        let first = asked.count - host.count
        // Nearly every app writes the host in lower case.
        if ASCII.equals(asked.extracting(first...), host) { return true }
        for index in host.indices where ASCII.lowercased(asked[first + index]) != host[index] { return false }
        return true
    }

    private func isAllowed(_ method: ByteRange, in bytes: Span<UInt8>) -> Bool {
        for name in methods where ASCII.equals(bytes, method, name) { return true }
        return methods.isEmpty
    }
}

extension PortPattern {
    /// Whether the pattern takes a target with this port, or with none.
    fileprivate func matches(_ port: UInt16?, of target: RequestTarget) -> Bool {
        switch self {
        case .any: return true
        case .schemeDefault: return port == nil || port == 80 || port == 443
        case .exactly(let wanted):
            if let port { return port == wanted }
            guard case .absolute(.https, _, _, _) = target else { return wanted == 80 }
            return wanted == 443
        }
    }
}
