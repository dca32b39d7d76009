import ArgumentParser
import Logging
import ProxyConfiguration
import ProxyServer

/// `attache run`: the proxy, until a signal ends it.
struct RunCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "run",
        abstract: "Runs the proxy until SIGTERM or SIGINT.",
        discussion: """
            Every option has an environment variable, such as ATTACHE_BACKEND or ATTACHE_TOKEN_URL. Separate several values \
            by commas. Options override the environment, and the environment overrides the file. With \
            --backend and no token server, the credential is that of the bound service (VCAP_SERVICES).
            """)

    @OptionGroup var options: ConfigurationOptions

    func run() throws {
        let passed = StartSockets.takeOver()
        StartFiles.watch(Logger(label: "attache") { _ in ControlLog() })
        if try !options.allowsCoreDumps() { ProxyServer.forbidCoreDumps() }
        let source = source
        let configuration = try options.load()
        let threshold = LogThreshold(configuration.logLevel)
        let logger = Logger(label: "attache") { _ in ControlLog(threshold, as: configuration.logFormat) }
        let budget = DescriptorBudget.ofThisProcess()
        if let shortage = budget.shortage(for: configuration) {
            PlainText.writeError("attache: \(shortage)")
            throw ExitCode.configuration
        }
        let server: ProxyServer
        do throws(StartError) {
            server = try ProxyServer(
                configuration: configuration, sockets: passed, logger: logger, threshold: threshold, source: source)
            try server.handleSignals()
        } catch {
            PlainText.writeError("attache: \(error)")
            throw error.isAddressInUse ? ExitCode.addressInUse : ExitCode.configuration
        }
        StartFiles.endWatch()
        if let warning = passed.warning {
            logger.warning("sockets of systemd not used", metadata: ["problem": "\(warning)"])
        }
        logger.info("listening", metadata: Self.facts(configuration, server))
        server.run()
    }

    /// The file, to be loaded again with the same flags and environment; nil if there is none.
    private var source: ConfigurationSource? {
        let flags = options.flags
        return Configuration.file(flags: flags).map { file in
            ConfigurationSource(file: file) {
                do throws(ConfigurationError) {
                    return .success(try Configuration.load(flags: flags))
                } catch {
                    return .failure(error)
                }
            }
        }
    }

    private static func facts(_ configuration: Configuration, _ server: ProxyServer) -> Logger.Metadata {
        let summary = ConfigurationSummary(configuration)
        var facts: Logger.Metadata = [
            "version": "\(ProgramVersion.number)",
            "addresses": .array(zip(server.listenerAddresses.map { "\($0)" }, configuration.listeners).map(Self.text)),
            "routes": .array(summary.routes.map { "\($0)" }), "unmatched": "\(summary.unmatched)",
        ]
        if let admin = server.adminAddress { facts["admin"] = "\(admin)" }
        return facts
    }

    private static func text(_ address: String, _ listener: ListenerConfiguration) -> Logger.Metadata.Value {
        "\(address)\(listener.service)"
    }
}
