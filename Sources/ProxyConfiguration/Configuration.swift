private import FoundationEssentials
import HTTPWire
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
    /// The parent proxy for requests without a route; each route has its own or this one.
    package var upstreamProxy: UpstreamProxy?
    /// The parent proxy for requests to token servers.
    package var tokenServerProxy: UpstreamProxy?
    /// The names whose addresses the configuration gives.
    package var resolve: [NameOverride]
    /// The ranges of addresses, such as `10.0.0.0/8`, that a destination may have which no route names.
    package var allowAddresses: [Network]
    /// The largest number of tokens that are kept.
    package var cacheSize: Int
    package var limits: Limits
    package var admin: ListenerConfiguration?
    package var accessLog: AccessLogDestination
    package var accessLogFields: [AccessLogField]
    package var logLevel: LogLevel
    package var logFormat: LogFormat
    /// Nil if no request is traced.
    package var tracing: TracingConfiguration?
    package var workers: WorkerCount
    package var shutdown: Shutdown
    /// The file that it was read from; nil if flags and environment are all.
    package var file: String?
    /// Whether a change of the file is applied without a signal.
    package var reloadsOnChange: Bool
    /// Settings that are suspicious but not fatal.
    package var warnings: [Problem]
    /// The checks of files that a running process makes again; `warnings` has what they found at the load.
    package var fileChecks: [FileCheck]

    package init(
        listeners: [ListenerConfiguration] = [ListenerConfiguration(host: "127.0.0.1", port: 3128)],
        credentials: [CredentialConfiguration] = [], routes: [Route] = [], unmatched: UnmatchedPolicy = .deny,
        connect: ConnectRules = ConnectRules(), upstreamProxy: UpstreamProxy? = nil,
        tokenServerProxy: UpstreamProxy? = nil, allowAddresses: [Network] = [], resolve: [NameOverride] = [],
        cacheSize: Int = 100,
        limits: Limits = Limits(),
        admin: ListenerConfiguration? = nil,
        accessLog: AccessLogDestination = .standardOutput,
        accessLogFields: [AccessLogField] = AccessLogField.standard, logLevel: LogLevel = .info,
        logFormat: LogFormat = .json, tracing: TracingConfiguration? = nil,
        workers: WorkerCount = .count(1), shutdown: Shutdown = Shutdown(), file: String? = nil,
        reloadsOnChange: Bool = true, warnings: [Problem] = [], fileChecks: [FileCheck] = []
    ) {
        self.listeners = listeners
        self.credentials = credentials
        self.routes = routes
        self.unmatched = unmatched
        self.connect = connect
        self.upstreamProxy = upstreamProxy
        self.tokenServerProxy = tokenServerProxy
        self.resolve = resolve
        self.allowAddresses = allowAddresses
        self.cacheSize = cacheSize
        self.limits = limits
        self.admin = admin
        self.accessLog = accessLog
        self.accessLogFields = accessLogFields
        self.logLevel = logLevel
        self.logFormat = logFormat
        self.tracing = tracing
        self.workers = workers
        self.shutdown = shutdown
        self.file = file
        self.reloadsOnChange = reloadsOnChange
        self.warnings = warnings
        self.fileChecks = fileChecks
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

/// A name with the addresses that are used for it, whatever the hosts file and name servers say.
package struct NameOverride: Equatable, Sendable {
    /// In lower case.
    package let host: String
    /// Nil for every port without an entry of its own.
    package let port: UInt16?
    /// IP addresses without brackets; at least one.
    package let addresses: [String]

    package init(host: String, port: UInt16? = nil, addresses: [String]) {
        self.host = host
        self.port = port
        self.addresses = addresses
    }
}

/// The least severe messages that the log on standard error shows, in the words of swift-log.
package enum LogLevel: String, CaseIterable, Sendable {
    case debug
    case info
    case notice
    case warning
    case error
}

/// How the log on standard error writes a line.
package enum LogFormat: String, CaseIterable, Sendable {
    /// For people: the time, the level and the message, and then the facts as `key=value`.
    case text
    /// For programs: an object.
    case json
}

/// The destination of the access log.
package enum AccessLogDestination: Equatable, Sendable {
    case standardOutput
    case standardError
    /// A file, created if it does not exist, and otherwise appended to.
    case file(String)
    case off
}

/// The time limits after SIGTERM.
package struct Shutdown: Equatable, Sendable {
    /// How long the listeners stay open after `/readyz` reports not ready.
    package var drainDelay: Duration = .zero
    /// The listeners close before the end of `drainDelay` once no client has been connected for so long; zero for never.
    package var waitForIdle: Duration = .zero
    /// How long running exchanges may then take to finish.
    package var gracePeriod: Duration = .seconds(30)

    package init(
        drainDelay: Duration = .zero, waitForIdle: Duration = .zero, gracePeriod: Duration = .seconds(30)
    ) {
        self.drainDelay = drainDelay
        self.waitForIdle = waitForIdle
        self.gracePeriod = gracePeriod
    }
}

/// The number of event loops that serve requests.
package enum WorkerCount: Equatable, Sendable {
    /// 1 to 256.
    case count(Int)
    /// One for each processor that the process may use.
    case automatic
}

extension Configuration {
    /// Whether the process may leave core dumps, which hold its secrets; decided before any secret is read.
    ///
    /// - Parameters:
    ///   - flags: The command line, which overrides the environment.
    ///   - environment: The environment; by default that of this process.
    /// - Returns: True only if the command line or the environment says so.
    /// - Throws: The error for a value that is not a boolean.
    package static func allowsCoreDumps(
        flags: Flags, environment: [String: String]? = nil
    ) throws(ConfigurationError) -> Bool {
        let problems = ProblemList()
        let options = StartOptions(
            flags: flags, environment: environment ?? ProcessInfo.processInfo.environment)
        let isAllowed = options.isOn(.allowCoreDumps, problems)
        guard problems.isEmpty else { throw ConfigurationError(problems: problems.sorted) }
        return isAllowed
    }

    /// The file that command line or environment name; nil if they name none.
    package static func file(flags: Flags, environment: [String: String]? = nil) -> String? {
        let options = StartOptions(
            flags: flags, environment: environment ?? ProcessInfo.processInfo.environment)
        return options.first(.config)?.text(ProblemList())
    }
}

extension Configuration {
    /// The address of a running proxy's admin listener, for the health check.
    ///
    /// The file is read only if neither the command line nor the environment has the address. Only its `admin` is read, so
    /// that no other setting can make the health check fail.
    ///
    /// - Parameters:
    ///   - flags: The command line, which overrides everything else.
    ///   - environment: The environment, which overrides the file; by default that of this process.
    ///   - files: The file system.
    /// - Returns: The address, or nil without an admin listener.
    /// - Throws: All problems.
    package static func adminAddress(
        flags: Flags = Flags(), environment: [String: String]? = nil, files: any FileReader = SystemFileReader()
    ) throws(ConfigurationError) -> ListenerConfiguration? {
        let environment = environment ?? ProcessInfo.processInfo.environment
        let context = LoadContext(files: files, environment: environment)
        let options = StartOptions(flags: flags, environment: environment)
        let address =
            if let setting = options.first(.admin) {
                ListenerSection.address(setting, allowsNonLoopback: true, context.problems)
            } else {
                options.first(.config)?.text(context.problems).flatMap { FileSection.admin(path: $0, context) }
            }
        guard context.problems.isEmpty else { throw ConfigurationError(problems: context.problems.sorted) }
        return address
    }
}
