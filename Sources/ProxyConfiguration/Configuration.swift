package import ProxyCore
package import TokenManager

/// Everything that a running proxy has been told, complete and checked: names exist, files are there, and no
/// credential travels in plain text unless somebody said so.
package struct Configuration: Sendable {
    package var listeners: [ListenerConfiguration]
    package var credentials: [CredentialConfiguration]
    /// The first that matches is taken.
    package var routes: [Route]
    package var unmatched: UnmatchedPolicy
    /// How many tokens are kept at most.
    package var cacheSize: Int
    package var limits: Limits
    package var admin: ListenerConfiguration?
    package var accessLog: AccessLogDestination
    package var workers: WorkerCount
    package var shutdown: Shutdown
    /// What a person should know although it stops nothing.
    package var warnings: [Problem]

    package init(
        listeners: [ListenerConfiguration] = [ListenerConfiguration(host: "127.0.0.1", port: 3128)],
        credentials: [CredentialConfiguration] = [], routes: [Route] = [], unmatched: UnmatchedPolicy = .deny,
        cacheSize: Int = 100, limits: Limits = Limits(), admin: ListenerConfiguration? = nil,
        accessLog: AccessLogDestination = .standardOutput, workers: WorkerCount = .count(1),
        shutdown: Shutdown = Shutdown(), warnings: [Problem] = []
    ) {
        self.listeners = listeners
        self.credentials = credentials
        self.routes = routes
        self.unmatched = unmatched
        self.cacheSize = cacheSize
        self.limits = limits
        self.admin = admin
        self.accessLog = accessLog
        self.workers = workers
        self.shutdown = shutdown
        self.warnings = warnings
    }

    /// The same with those credentials alone that a route uses: the others are not fetched, and readiness does not ask
    /// for them.
    package var withUsedCredentials: Configuration {
        let used = Set(routes.compactMap(\.credential))
        var configuration = self
        configuration.credentials.removeAll { !used.contains($0.name) }
        return configuration
    }

    /// In the order of the configuration.
    package var credentialNames: [String] { credentials.map(\.name) }

    /// Whether a credential's tokens are of no use without a proof beside them.
    package func bindsToken(of name: String) -> Bool { credentials.contains { $0.name == name && $0.dpop != nil } }
}
