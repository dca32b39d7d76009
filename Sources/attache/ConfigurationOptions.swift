import ArgumentParser
import ProxyConfiguration
import ProxyServer

/// The flags that set the configuration, the same for every command that needs one.
struct ConfigurationOptions: ParsableArguments {
    @Option(name: .customLong("config"), help: "A configuration file.")
    var configurationFiles: [String] = []

    @Option(
        name: .customLong("backend"),
        help: "A protected backend, https://host or https://host:port; may be given several times.")
    var backends: [String] = []

    @Option(
        name: .customLong("gateway"),
        help: """
            ADDRESS=URL: an address for apps that take a base URL, and the backend, as in 127.0.0.1:3129=https://host/v2; may \
            be given several times.
            """)
    var gateways: [String] = []

    @Option(help: "An address for apps, host:port, unix:/path or systemd (default 127.0.0.1:3128); repeatable.")
    var listen: [String] = []

    @Option(help: "An address for health and metrics, host:port, unix:/path or systemd.")
    var admin: String?

    @Flag(help: "Lets --listen, --gateway and --admin be reached from other machines.")
    var allowNonLoopback = false

    @Flag(
        help: """
            Lets credentials and secrets travel over http:// to other machines, and requests for https:// URLs over http://.
            """)
    var allowPlaintext = false

    @Flag(help: "Lets the process leave core dumps, which hold secrets and tokens.")
    var allowCoreDumps = false

    @Option(name: .customLong("token-url"), help: "The token endpoint of an OAuth 2.0 server.")
    var tokenURL: String?

    @Option(name: .customLong("client-id"), help: "The client's identifier at the token server.")
    var clientID: String?

    @Option(help: "A file with the client's secret (or ATTACHE_CLIENT_SECRET).")
    var clientSecretFile: String?

    @Option(help: "The scopes to request, in one argument.")
    var scope: String?

    @Option(help: "A file with a token, read again when it changes; instead of a token server.")
    var tokenFile: String?

    @Option(help: "stdout, stderr, off or a file (default stdout).")
    var accessLog: String?

    @Option(help: "The least severe lines of the log: debug, info, notice, warning or error (default info).")
    var logLevel: String?

    @Option(help: "The format of the log: text or json (default json).")
    var logFormat: String?

    @Option(help: "The number of event loops, or auto for one per processor (default 1).")
    var workers: String?

    @Option(help: "How long listeners stay open after SIGTERM (default 0s).")
    var drainDelay: String?

    @Option(help: "Ends the drain delay when no client has been connected for this time (default 0s, never).")
    var waitForIdle: String?

    @Option(help: "How long running exchanges may take after SIGTERM (default 30s).")
    var gracePeriod: String?

    @Option(name: .customLong("client-secret"), help: .hidden)
    var refusedSecret: String?

    @Option(name: .customLong("token"), help: .hidden)
    var refusedToken: String?

    /// Reads the configuration; problems go to standard error, one on each line.
    func load(for purpose: Configuration.Purpose = .serving) throws(ExitCode) -> Configuration {
        try refuseSecrets()
        do throws(ConfigurationError) {
            return try read(for: purpose)
        } catch {
            PlainText.writeError(error.description)
            throw .configuration
        }
    }

    /// Reads the configuration without printing its problems; only a file that hangs is reported.
    func read(
        for purpose: Configuration.Purpose, command: String = "run"
    ) throws(ConfigurationError) -> Configuration {
        StartFiles.watch()
        guard configurationFiles.count < 2 else {
            let message = "is given \(configurationFiles.count) times, and Attaché reads one file; keep one"
            throw ConfigurationError(Problem(path: "--config", message: message))
        }
        var flags = flags
        flags.command = command
        return try Configuration.load(flags: flags, files: WatchedFileReader(), for: purpose)
    }

    /// Reads the configuration of a command that takes its file as an argument too; problems are printed.
    ///
    /// - Parameters:
    ///   - file: The file given alone.
    ///   - asJSON: Whether problems are printed as JSON, to standard output.
    ///   - command: The name of the command, for its advice.
    /// - Returns: The configuration.
    /// - Throws: The exit code, once the problems are printed.
    func read(_ file: String?, asJSON: Bool, command: String) throws -> Configuration {
        guard file == nil || configurationFiles.isEmpty else {
            PlainText.writeError("attache: the configuration file is given twice, alone and as --config; keep one")
            throw ExitCode.configuration
        }
        var options = self
        if let file { options.configurationFiles = [file] }
        try options.refuseSecrets()
        do throws(ConfigurationError) {
            return try options.read(for: .serving, command: command)
        } catch {
            if asJSON {
                try CommandOutput.write(ConfigurationReport(error).json)
            } else {
                PlainText.writeError(error.description)
            }
            throw ExitCode.configuration
        }
    }

    func refuseSecrets() throws(ExitCode) {
        guard refusedSecret == nil, refusedToken == nil else {
            PlainText.writeError(
                "attache: a secret on the command line can be read by every process of the machine; "
                    + "use --client-secret-file, ATTACHE_CLIENT_SECRET or --token-file")
            throw .configuration
        }
    }

    /// Whether core dumps are allowed; problems go to standard error.
    func allowsCoreDumps() throws(ExitCode) -> Bool {
        do throws(ConfigurationError) {
            return try Configuration.allowsCoreDumps(flags: flags)
        } catch {
            PlainText.writeError(error.description)
            throw .configuration
        }
    }

    var flags: Flags {
        var flags = Flags()
        flags.configurationFile = configurationFiles.first
        flags.backends = backends
        flags.gateways = gateways
        flags.listen = listen
        flags.admin = admin
        flags.allowNonLoopback = allowNonLoopback
        flags.allowPlaintext = allowPlaintext
        flags.allowCoreDumps = allowCoreDumps
        flags.tokenURL = tokenURL
        flags.clientID = clientID
        flags.clientSecretFile = clientSecretFile
        flags.scope = scope
        flags.tokenFile = tokenFile
        flags.accessLog = accessLog
        flags.logLevel = logLevel
        flags.logFormat = logFormat
        flags.workers = workers
        flags.drainDelay = drainDelay
        flags.waitForIdle = waitForIdle
        flags.gracePeriod = gracePeriod
        return flags
    }
}
