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
    fileprivate func covers(_ other: HostPattern) -> Bool {
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
