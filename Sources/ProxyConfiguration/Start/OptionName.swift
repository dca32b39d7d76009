/// A setting that needs no file: the same name on the command line (`--token-url`) and in the environment
/// (`ATTACHE_TOKEN_URL`).
enum OptionName: String, CaseIterable {
    case config
    case backend
    case listen
    case admin
    case allowNonLoopback = "allow-non-loopback"
    case allowPlaintext = "allow-plaintext"
    case allowCoreDumps = "allow-core-dumps"
    case tokenURL = "token-url"
    case clientID = "client-id"
    /// In the environment only: every process of the machine may read a command line.
    case clientSecret = "client-secret"
    case clientSecretFile = "client-secret-file"
    case scope
    case tokenFile = "token-file"
    case accessLog = "access-log"
    case workers
    case drainDelay = "drain-delay"
    case gracePeriod = "grace-period"

    /// Those that describe a credential.
    static let nearSecrets: [OptionName] = [.tokenURL, .clientID, .clientSecret, .scope, .tokenFile]

    var flag: String { "--\(rawValue)" }

    var variable: String {
        "ATTACHE_" + String(rawValue.uppercased().map { $0 == "-" ? "_" : $0 })
    }

    /// How a message tells a person to give it.
    var names: String { "\(flag) (\(variable))" }

    /// How a message tells a person to switch it on.
    var advice: String { "\(flag) (\(variable)=true)" }
}
