import ArgumentParser
import ProxyConfiguration
import ProxyServer

/// `attache health`: the health check of a container that holds no other program.
struct HealthCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "health",
        abstract: "Asks a running proxy's admin listener whether it lives; exit code 0 or 1.",
        discussion: "Takes the configuration of the proxy, of which only the admin address counts.")

    @OptionGroup var options: ConfigurationOptions

    func run() throws {
        guard let admin = try options.load().admin else {
            PlainText.writeError(
                "attache: there is no admin listener to ask: set admin.address, --admin or ATTACHE_ADMIN")
            throw ExitCode.configuration
        }
        guard let failure = HealthCheck.failure(of: admin) else { return }
        PlainText.writeError("attache: \(failure)")
        throw ExitCode.failure
    }
}
