import ProxyCore

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
    case logFormat = "log-format"
    case workers
    case drainDelay = "drain-delay"
    case waitForIdle = "wait-for-idle"
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

/// Looks for unknown environment variables that begin with `ATTACHE_`.
///
/// A name near a known one is an error. Others are warnings, because another program may use the prefix. Variables
/// that Kubernetes sets for a service named `attache…` are ignored.
enum UnknownVariables {
    private static let prefix = "ATTACHE_"

    static func check(_ context: LoadContext) {
        let known = OptionName.allCases.map(\.variable)
        let endings = known.map { String($0.dropFirst(prefix.count)) }
        for name in context.environment.keys.sorted() where name.hasPrefix(prefix) && !known.contains(name) {
            guard !isServiceLink(name), KeyText.isWord(name) else { continue }
            // Without the prefix, which would make all names similar.
            if let meant = WordSuggestion.nearest(to: String(name.dropFirst(prefix.count)), among: endings) {
                context.problems.add(Place(path: name), "unknown variable; did you mean \(prefix)\(meant)?")
            } else {
                context.warnings.add(
                    .unknownVariable, Place(path: name),
                    "unknown variable, ignored; the variables are named after the options of attache run")
            }
        }
    }

    private static func isServiceLink(_ name: String) -> Bool {
        name.hasSuffix("_SERVICE_HOST") || name.firstRange(of: "_SERVICE_PORT") != nil || name.hasSuffix("_PORT")
            || name.firstRange(of: "_TCP") != nil || name.firstRange(of: "_UDP") != nil
    }
}
