import ProxyCore
import TokenManager

/// A configuration while it is read from file, environment and command line.
struct Draft {
    /// Nil until a setting names one.
    var listeners: [ListenerDraft]?
    /// Whether a listener is missing because of a problem that was reported.
    var isListeningFaulty = false
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
    var connect = ConnectRules()
    var resolve: [NameOverride] = []
    var allowAddresses: [Network] = []
    var allowAddressesPlace = Place(path: "allowAddresses")
    var defaults = RouteDefaults()
    var tokenServerProxy: UpstreamProxy?
    /// The parent proxies of the file, with their places.
    var parentPlaces: [(proxy: UpstreamProxy, place: Place)] = []
    var cacheSize = 100
    var cacheSizePlace = Place(path: "cacheSize")
    var limits = Limits()
    var admin: (listener: ListenerConfiguration, place: Place)?
    var accessLog: AccessLogDestination = .standardOutput
    var accessLogFields = AccessLogField.standard
    var logLevel = LogLevel.info
    var logFormat = LogFormat.json
    var tracing: TracingConfiguration?
    var workers: WorkerCount = .count(1)
    var shutdown = Shutdown()
    /// Whether the configuration file holds nothing but comments.
    var isFileEmpty = false
    var waitForIdlePlace = Place(path: "shutdown.waitForIdle")
    var reloadsOnChange = true

    /// The listeners, by default one for a forward proxy.
    var listenersOrDefault: [ListenerDraft] {
        listeners ?? [ListenerDraft(listener: ListenerSection.defaultAddress, place: Place(path: "listeners"))]
    }

    /// Gives each gateway that an option has made the final name of its route.
    mutating func nameOwnRoutes() {
        for index in (listeners ?? []).indices {
            guard let place = listeners?[index].ownRoute,
                let name = routes.first(where: { $0.place == place })?.route.name
            else { continue }
            listeners?[index].listener.mode = .gateway(route: name)
        }
    }

    func usesCredential(_ name: String) -> Bool { routes.contains { $0.route.credential == name } }

    /// Adds a credential, in place of one with the same name.
    mutating func add(_ credential: CredentialConfiguration) {
        credentials.removeAll { $0.name == credential.name }
        credentials.append(credential)
        if !credentialNames.contains(credential.name) { credentialNames.append(credential.name) }
    }
}

/// The settings of routes that have none of their own.
struct RouteDefaults {
    var tls = UpstreamTLS()
    var upstreamProxy: UpstreamProxy?
}

extension Configuration {
    /// The purpose that a configuration is loaded for, which decides what it must hold.
    package enum Purpose: Equatable, Sendable {
        /// Serving requests, which needs a route or `unmatched: forward`.
        case serving
        /// Fetching a token, which needs a credential. Other settings may be absent, but are checked if present.
        case fetching
    }
}
