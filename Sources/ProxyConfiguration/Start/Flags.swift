/// The flags of the command line, which override the environment and the file.
package struct Flags: Equatable, Sendable {
    /// The command that reads the configuration, for its advice.
    package var command = "run"
    package var configurationFile: String?
    package var backends: [String] = []
    package var gateways: [String] = []
    package var listen: [String] = []
    package var admin: String?
    package var allowNonLoopback = false
    package var allowPlaintext = false
    package var allowCoreDumps = false
    package var tokenURL: String?
    package var clientID: String?
    package var clientSecretFile: String?
    package var scope: String?
    package var tokenFile: String?
    package var accessLog: String?
    package var logLevel: String?
    package var logFormat: String?
    package var workers: String?
    package var drainDelay: String?
    package var waitForIdle: String?
    package var gracePeriod: String?

    package init() {}

    func values(_ name: OptionName) -> [String] {
        switch name {
        case .config: one(configurationFile)
        case .backend: backends
        case .gateway: gateways
        case .listen: listen
        case .admin: one(admin)
        case .allowNonLoopback: allowNonLoopback ? ["true"] : []
        case .allowPlaintext: allowPlaintext ? ["true"] : []
        case .allowCoreDumps: allowCoreDumps ? ["true"] : []
        case .tokenURL: one(tokenURL)
        case .clientID: one(clientID)
        case .clientSecret: []
        case .clientSecretFile: one(clientSecretFile)
        case .scope: one(scope)
        case .tokenFile: one(tokenFile)
        case .accessLog: one(accessLog)
        case .logLevel: one(logLevel)
        case .logFormat: one(logFormat)
        case .workers: one(workers)
        case .drainDelay: one(drainDelay)
        case .waitForIdle: one(waitForIdle)
        case .gracePeriod: one(gracePeriod)
        }
    }

    private func one(_ value: String?) -> [String] { value.map { [$0] } ?? [] }
}
