import ArgumentParser
import ProxyConfiguration
import ProxyServer

/// `attache check`: says whether a configuration is valid, and what it does.
struct CheckCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check",
        abstract: "Checks a configuration and prints what it does.",
        discussion: """
            Takes the options and the environment of run. Starts nothing and connects to no server. Exit code 2 means that run \
            would refuse the configuration, or that --strict found a warning.

            --url prints the route that takes a request for that URL and why, the credential and the upstream. If the \
            request would be refused, it prints the refusal. With a URL of a gateway listener, it shows a request to that \
            gateway. Exit code 1 means that the request would be refused.

            --json prints an object with these keys:
            ok        whether the exit code is 0
            problems  each with message, and where known file, line, column and path
            warnings  as problems
            summary   a list of lines
            request   with --url: method, url, gateway, route, credential, upstream, refusal
            """)

    @Argument(help: "The configuration file; the same as --config.")
    var file: String?

    @Option(help: "A URL that an app would request; prints what happens to the request.")
    var url: String?

    @Option(help: "The method of that request (default GET).")
    var method: String?

    @Flag(help: "Treats each warning as an error: exit code 2.")
    var strict = false

    @Flag(help: "Prints JSON.")
    var json = false

    @OptionGroup var options: ConfigurationOptions

    func run() throws {
        let configuration = try options.read(file, asJSON: json, command: "check")
        let warnings =
            configuration.warnings + DescriptorBudget.ofThisProcess().warnings(for: configuration)
            + SystemAuthorities.warnings(for: configuration)
        let request: RequestReport?
        do throws(Problem) {
            request = try self.request(of: configuration)
        } catch {
            if json {
                try CommandOutput.write(
                    ConfigurationReport(configuration, warnings: warnings, wrongRequest: error).json)
            } else {
                PlainText.writeError("attache: \(error)")
            }
            throw ExitCode.configuration
        }
        if json {
            try CommandOutput.write(
                ConfigurationReport(configuration, warnings: warnings, isStrict: strict, request: request).json)
        } else {
            for warning in warnings { PlainText.writeError(warning.warningText) }
            let summary = ConfigurationSummary(configuration)
            try CommandOutput.write(summary.verdict(warnings: warnings.count, isStrict: strict))
            try CommandOutput.write(request.map { $0.lines.joined(separator: "\n") } ?? summary.description)
        }
        if strict, !warnings.isEmpty { throw ExitCode.configuration }
        if request?.refusal != nil { throw ExitCode.failure }
    }

    /// - Throws: The problem with the options that describe the request.
    private func request(of configuration: Configuration) throws(Problem) -> RequestReport? {
        guard let url else {
            guard method == nil else { throw Problem(path: "--method", message: "belongs to a request; add --url") }
            return nil
        }
        do throws(RoutePreview.UnusableRequest) {
            return try RoutePreview.report(url, method: method ?? "GET", of: configuration)
        } catch {
            throw Problem(path: error.option, message: error.problem)
        }
    }
}
