import ProxyCore
import TokenManager

/// A configuration while it is read from file, environment and command line.
struct Draft {
    /// Nil until a setting names one.
    var listeners: [(listener: ListenerConfiguration, place: Place)]?
    var credentials: [CredentialConfiguration] = []
    /// The names of all credentials, including those with a problem.
    var credentialNames: [String] = []
    /// The places of the credentials of the file, by name.
    var credentialPlaces: [String: Place] = [:]
    var routes: [RouteDraft] = []
    var routesPlace = Place(path: "routes")
    /// Whether a route or `unmatched` is missing because of a problem that was reported.
    var isRoutingFaulty = false
    var unmatched: UnmatchedPolicy = .deny
    var cacheSize = 100
    var cacheSizePlace = Place(path: "cacheSize")
    var limits = Limits()
    var admin: (listener: ListenerConfiguration, place: Place)?
    var accessLog: AccessLogDestination = .standardOutput
    var logLevel = LogLevel.info
    var workers: WorkerCount = .count(1)
    var shutdown = Shutdown()

    func usesCredential(_ name: String) -> Bool { routes.contains { $0.route.credential == name } }

    /// Adds a credential, in place of one with the same name.
    mutating func add(_ credential: CredentialConfiguration) {
        credentials.removeAll { $0.name == credential.name }
        credentials.append(credential)
        if !credentialNames.contains(credential.name) { credentialNames.append(credential.name) }
    }
}
