package import TokenManager

/// A parent proxy: an HTTP proxy between Attaché and servers.
///
/// Holds a secret or its place, and no description shows it.
package struct UpstreamProxy: Equatable, Sendable {
    /// The user name and password that the proxy demands.
    package struct Credentials: Equatable, Sendable {
        /// Without a colon.
        package let username: String
        package let password: Secret

        package init(username: String, password: Secret) {
            self.username = username
            self.password = password
        }
    }

    /// A destination that is reached without the proxy.
    package struct Exception: Equatable, Sendable {
        package enum Hosts: Equatable, Sendable {
            case pattern(HostPattern)
            case network(Network)
        }

        package let hosts: Hosts
        /// Nil for every port.
        package let port: UInt16?

        package init(hosts: Hosts, port: UInt16? = nil) {
            self.hosts = hosts
            self.port = port
        }

        fileprivate func takes(_ host: String, _ port: UInt16) -> Bool {
            guard self.port == nil || self.port == port else { return false }
            return switch hosts {
            case .pattern(let pattern): pattern.takes(host)
            case .network(let network): network.contains(host)
            }
        }
    }

    /// A name in lower case, or an IP address without brackets.
    package let host: String
    package let port: UInt16
    package let credentials: Credentials?
    package let noProxy: [Exception]
    /// Whether `http` backends are reached through a tunnel (CONNECT) too.
    package let tunnelsAll: Bool

    package init(
        host: String, port: UInt16, credentials: Credentials? = nil, noProxy: [Exception] = [], tunnelsAll: Bool = false
    ) {
        self.host = host
        self.port = port
        self.credentials = credentials
        self.noProxy = noProxy
        self.tunnelsAll = tunnelsAll
    }

    /// Whether the way to a host leads through the proxy; `host` is in lower case, without brackets, and may end with a
    /// dot.
    ///
    /// To the proxy, loopback and link-local addresses mean other machines. Metadata servers have link-local addresses.
    package func leads(to host: String, port: UInt16) -> Bool {
        let host = host.hasSuffix(".") ? String(host.dropLast()) : host
        if host == "localhost" || host.hasSuffix(".localhost") { return false }
        if Network.local.contains(where: { $0.contains(host) }) { return false }
        return !noProxy.contains { $0.takes(host, port) }
    }
}
