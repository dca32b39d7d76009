package import ProxyCore
package import TokenManager

/// The settings of a running proxy, complete and checked.
///
/// Names and files exist, and no credential is sent in plain text without `allowPlaintext`.
package struct Configuration: Sendable {
    package var listeners: [ListenerConfiguration]
    package var credentials: [CredentialConfiguration]
    /// The routes; the first that matches a request serves it.
    package var routes: [Route]
    package var unmatched: UnmatchedPolicy
    package var connect: ConnectRules
    /// The largest number of tokens that are kept.
    package var cacheSize: Int
    package var limits: Limits
    package var admin: ListenerConfiguration?
    package var accessLog: AccessLogDestination
    package var logLevel: LogLevel
    package var workers: WorkerCount
    package var shutdown: Shutdown
    /// Settings that are suspicious but not fatal.
    package var warnings: [Problem]

    package init(
        listeners: [ListenerConfiguration] = [ListenerConfiguration(host: "127.0.0.1", port: 3128)],
        credentials: [CredentialConfiguration] = [], routes: [Route] = [], unmatched: UnmatchedPolicy = .deny,
        connect: ConnectRules = ConnectRules(), cacheSize: Int = 100, limits: Limits = Limits(),
        admin: ListenerConfiguration? = nil,
        accessLog: AccessLogDestination = .standardOutput, logLevel: LogLevel = .info,
        workers: WorkerCount = .count(1), shutdown: Shutdown = Shutdown(), warnings: [Problem] = []
    ) {
        self.listeners = listeners
        self.credentials = credentials
        self.routes = routes
        self.unmatched = unmatched
        self.connect = connect
        self.cacheSize = cacheSize
        self.limits = limits
        self.admin = admin
        self.accessLog = accessLog
        self.logLevel = logLevel
        self.workers = workers
        self.shutdown = shutdown
        self.warnings = warnings
    }

    /// How the proxy finds a destination.
    package var routeTable: RouteTable { RouteTable(routes: routes, unmatched: unmatched, connect: connect) }

    /// The same configuration with only those credentials that a route uses.
    ///
    /// The others are not fetched, and readiness does not depend on them.
    package var withUsedCredentials: Configuration {
        let used = Set(routes.compactMap(\.credential))
        var configuration = self
        configuration.credentials.removeAll { !used.contains($0.name) }
        return configuration
    }

    /// The names of the credentials, in the order of the configuration.
    package var credentialNames: [String] { credentials.map(\.name) }

    /// Whether a credential's tokens are useless without a proof of possession (DPoP).
    package func bindsToken(of name: String) -> Bool { credentials.contains { $0.name == name && $0.dpop != nil } }
}

/// The least severe messages that the log on standard error shows, in the words of swift-log.
package enum LogLevel: String, CaseIterable, Sendable {
    case debug
    case info
    case notice
    case warning
    case error
}
