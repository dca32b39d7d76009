import ArgumentParser
import ProxyConfiguration
import ProxyServer

/// `attache token`: fetches a credential's token as the proxy would, and reports on it.
struct TokenCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "token",
        abstract: "Fetches a token and shows its times and claims.",
        discussion: """
            Takes the options and the environment of run, but needs no backend. Shows the token itself only with --reveal or \
            --header. If it gets no token, it prints the reason and exits with 1.

            If the token depends on the request, give the request's values: --host for {host}, --field for {header:Name}. For \
            a token on behalf of the request's sender, give --field-file a file with the line "Authorization: Bearer …". A \
            value that the credential does not use is an error.
            """)

    @Argument(help: "The credential's name; optional if the configuration has only one credential.")
    var name: String?

    @Flag(help: "Shows the token itself.")
    var reveal = false

    @Flag(
        help: "Prints the whole header and nothing else, for scripts; not for a token that is bound to a key (dpop).")
    var header = false

    @OptionGroup var sample: SampleOptions

    @OptionGroup var options: ConfigurationOptions

    func run() throws {
        try refuseFile()
        let configuration = try options.load(for: .fetching)
        StartFiles.endWatch()
        let name = try credentialName(configuration)
        guard !header || !configuration.bindsToken(of: name) else {
            PlainText.writeError(
                "attache: --header: the tokens of credential \(name) are bound to a key (dpop), and their header is useless "
                    + "without a proof for each request; send requests through attache run, or leave --header out")
            throw ExitCode.configuration
        }
        let report: TokenReport
        do throws(TokenPreview.Failure) {
            report = try TokenPreview.fetch(
                name, of: configuration, for: sample.request, input: SampleOptions.standardInput)
        } catch {
            switch error {
            case .unusableRequest(let problems):
                PlainText.writeError(problems)
                throw ExitCode.configuration
            case .noToken(let reason):
                PlainText.writeError("attache: \(reason)")
                throw ExitCode.failure
            }
        }
        let lines = header ? [report.fieldLine] : report.lines(reveals: reveal)
        try CommandOutput.write(lines.joined(separator: "\n"))
    }

    /// Refuses a configuration file in place of the name, as `check` takes one.
    private func refuseFile() throws(ExitCode) {
        guard let name, options.configurationFiles.isEmpty,
            name.contains("/") || [".yaml", ".yml"].contains(where: name.lowercased().hasSuffix)
        else { return }
        PlainText.writeError(
            "attache: token takes the name of a credential; write --config before a configuration file, as in "
                + "attache token --config attache.yaml NAME")
        throw .configuration
    }

    private func credentialName(_ configuration: Configuration) throws(ExitCode) -> String {
        let names = configuration.credentialNames
        if let name, names.contains(name) { return name }
        if name == nil, names.count == 1, let only = names.first { return only }
        let advice = name.flatMap { WordSuggestion.nearest(to: $0, among: names) }.map { "did you mean \($0)? " } ?? ""
        PlainText.writeError(
            "attache: \(name == nil ? "name the credential" : "no credential has this name"); "
                + "\(advice)the names are \(names.joined(separator: ", "))")
        throw .configuration
    }
}
