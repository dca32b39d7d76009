import ProxyCore
import TokenManager

/// A configuration while it is put together from file, environment and command line.
struct Draft {
    /// Nil until somebody names one.
    var listeners: [(listener: ListenerConfiguration, place: Place)]?
    var credentials: [CredentialConfiguration] = []
    /// Of all credentials that were written down, also of those with a fault.
    var credentialNames: [String] = []
    /// Where those of a file stand.
    var credentialPlaces: [String: Place] = [:]
    var routes: [RouteDraft] = []
    var routesPlace = Place(path: "routes")
    /// Whether a route or the policy for the rest was left out for its faults.
    var isRoutingFaulty = false
    var unmatched: UnmatchedPolicy = .deny
    var cacheSize = 100
    var cacheSizePlace = Place(path: "cacheSize")
    var limits = Limits()
    var admin: (listener: ListenerConfiguration, place: Place)?
    var accessLog: AccessLogDestination = .standardOutput
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
