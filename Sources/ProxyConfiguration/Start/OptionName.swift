/// A setting of the command line (`--token-url`) and the environment (`ATTACHE_TOKEN_URL`).
enum OptionName: String, CaseIterable {
    case config
    case backend
    case gateway
    case listen
    case admin
    case allowNonLoopback = "allow-non-loopback"
    case allowPlaintext = "allow-plaintext"
    case allowCoreDumps = "allow-core-dumps"
    case tokenURL = "token-url"
    case clientID = "client-id"
    /// In the environment only, because every process of the machine can read a command line.
    case clientSecret = "client-secret"
    case clientSecretFile = "client-secret-file"
    case scope
    case tokenFile = "token-file"
    case accessLog = "access-log"
    case logLevel = "log-level"
    case workers
    case drainDelay = "drain-delay"
    case gracePeriod = "grace-period"

    /// The settings of a credential.
    static let nearSecrets: [OptionName] = [.tokenURL, .clientID, .clientSecret, .scope, .tokenFile]

    var flag: String { "--\(rawValue)" }

    var variable: String {
        "ATTACHE_" + String(rawValue.uppercased().map { $0 == "-" ? "_" : $0 })
    }

    /// The setting as it is named in a message.
    var names: String { "\(flag) (\(variable))" }

    /// The setting as a message says to switch it on.
    var advice: String { "\(flag) (\(variable)=true)" }
}
