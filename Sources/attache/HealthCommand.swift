import ArgumentParser
import ProxyConfiguration
import ProxyServer

/// `attache health`: a health check for a container without any other program.
struct HealthCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "health",
        abstract: "Asks a running proxy's admin listener whether it is alive.",
        discussion: """
            The address is that of --admin, else of ATTACHE_ADMIN, else of the configuration file. Exit code 0 means yes, 1 \
            means no or no answer, and 2 means that the command line or the file names no usable address.
            """)

    @Option(help: "The address of the admin listener, host:port or unix:/path.")
    var admin: String?

    @Option(name: .customLong("config"), help: "The proxy's configuration file.")
    var configurationFile: String?

    @Flag(help: "Asks whether the proxy is ready: whether every required credential has a usable token.")
    var ready = false

    func run() throws {
        guard let address = try address() else {
            PlainText.writeError("attache: no admin listener to ask: give --admin, ATTACHE_ADMIN or --config")
            throw ExitCode.configuration
        }
        if case .systemd = address.address {
            PlainText.writeError(
                "attache: the admin listener is a socket of systemd; give its address, host:port or unix:/path, with --admin"
            )
            throw ExitCode.configuration
        }
        guard let failure = HealthCheck.failure(of: address, page: ready ? .readiness : .liveness) else { return }
        PlainText.writeError("attache: \(failure)")
        throw ExitCode.failure
    }

    private func address() throws(ExitCode) -> ListenerConfiguration? {
        var flags = Flags()
        flags.admin = admin
        flags.configurationFile = configurationFile
        do throws(ConfigurationError) {
            return try Configuration.adminAddress(flags: flags)
        } catch {
            PlainText.writeError(error.description)
            throw .configuration
        }
    }
}
