import ArgumentParser
import ProxyConfiguration
import ProxyServer

/// `attache check`: says whether a configuration is in order, and what it does.
struct CheckCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check",
        abstract: "Checks a configuration and says what it does.",
        discussion: "Takes what run takes, and the environment too. Starts nothing and asks no server.")

    @Argument(help: "The configuration file; the same as --config.")
    var file: String?

    @OptionGroup var options: ConfigurationOptions

    func run() throws {
        var options = options
        guard file == nil || options.configurationFile == nil else {
            PlainText.writeError("attache: the configuration file is given twice, alone and as --config; keep one")
            throw ExitCode.configuration
        }
        options.configurationFile = options.configurationFile ?? file
        let configuration = try options.load()
        let shortage = DescriptorBudget.ofThisProcess().warning(for: configuration)
        for warning in configuration.warnings.map({ "\($0)" }) + [shortage].compactMap(\.self) {
            PlainText.writeError("warning: \(warning)")
        }
        let summary = ConfigurationSummary(configuration)
        print("ok: \(summary.counts)")
        print(summary)
    }
}
