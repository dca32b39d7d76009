import ArgumentParser
import ProxyConfiguration
import ProxyServer

/// `attache token`: fetches a credential's token as the proxy would, and shows what it is.
struct TokenCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "token",
        abstract: "Fetches a token and shows its times and claims.",
        discussion: """
            Takes what run takes, and the environment too. The token itself is shown only with --reveal or --header. Exit \
            code 1 means that there is no token, and says why.
            """)

    @Argument(help: "The credential's name; not needed where there is only one.")
    var name: String?

    @Flag(help: "Shows the token itself.")
    var reveal = false

    @Flag(help: "Prints the whole header and nothing else, for scripts.")
    var header = false

    @OptionGroup var options: ConfigurationOptions

    func run() throws {
        let configuration = try options.load()
        let name = try credentialName(configuration)
        let report: TokenReport
        do throws(TokenPreview.Failure) {
            report = try TokenPreview.fetch(name, of: configuration)
        } catch {
            PlainText.writeError("attache: \(error)")
            throw ExitCode.failure
        }
        let lines = header ? [report.fieldLine] : report.lines(reveals: reveal)
        for line in lines { print(line) }
    }

    private func credentialName(_ configuration: Configuration) throws(ExitCode) -> String {
        let names = configuration.credentialNames
        if let name, names.contains(name) { return name }
        if name == nil, names.count == 1, let only = names.first { return only }
        let known = names.isEmpty ? "none is configured" : "there are \(names.joined(separator: ", "))"
        PlainText.writeError("attache: \(name == nil ? "name the credential" : "no credential of this name"): \(known)")
        throw .configuration
    }
}
