import ArgumentParser
import ProxyConfiguration
import ProxyServer

/// `attache check`: says whether a configuration is in order, and what it does.
struct CheckCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check",
        abstract: "Checks a configuration and says what it does.",
        discussion: """
            Takes what run takes, and the environment too. Starts nothing and asks no server. Exit code 2 means that run \
            would refuse it. --json prints an object: ok, problems and warnings (each with message, and where known file, \
            line, column and path), and summary, a list of lines.
            """)

    @Argument(help: "The configuration file; the same as --config.")
    var file: String?

    @Flag(help: "Lets a warning be an error, with exit code 2.")
    var strict = false

    @Flag(help: "Prints JSON.")
    var json = false

    @OptionGroup var options: ConfigurationOptions

    func run() throws {
        var options = options
        guard file == nil || options.configurationFile == nil else {
            PlainText.writeError("attache: the configuration file is given twice, alone and as --config; keep one")
            throw ExitCode.configuration
        }
        options.configurationFile = options.configurationFile ?? file
        try options.refuseSecrets()
        let configuration: Configuration
        do throws(ConfigurationError) {
            configuration = try options.read(for: .serving)
        } catch {
            if json { print(ConfigurationReport(error).json) } else { PlainText.writeError(error.description) }
            throw ExitCode.configuration
        }
        let shortage = DescriptorBudget.ofThisProcess().warning(for: configuration).map { Problem(message: $0) }
        let warnings = configuration.warnings + [shortage].compactMap(\.self)
        if json {
            print(ConfigurationReport(configuration, warnings: warnings, isStrict: strict).json)
        } else {
            for warning in warnings { PlainText.writeError("warning: \(warning)") }
            let summary = ConfigurationSummary(configuration)
            print("ok: \(summary.counts)")
            print(summary)
        }
        if strict, !warnings.isEmpty { throw ExitCode.configuration }
    }
}
