import ArgumentParser
import ProxyServer

/// The program: parses the command line and turns every outcome into an exit code.
@main
struct Attache: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "attache",
        abstract: "A forward proxy that attaches OAuth tokens.",
        discussion: """
            Apps send plain http:// requests through it (HTTP_PROXY); it adds the Authorization header from a cache of \
            tokens that it keeps fresh, and forwards the request to the protected backend, over TLS where that wants it.
            """,
        version: "attache \(ProgramVersion.number)",
        subcommands: [
            RunCommand.self, CheckCommand.self, TokenCommand.self, DemoCommand.self, HealthCommand.self,
            VersionCommand.self,
        ])

    static func main() {
        PlainText.reserveStreams()
        guard isCommand(CommandLine.arguments.dropFirst().first) else {
            PlainText.writeError("attache: unknown command; write one of \(commands.joined(separator: ", "))")
            exit(withError: ExitCode.configuration)
        }
        do {
            var command = try parseAsRoot()
            try command.run()
        } catch  where exitCode(for: error) == .success || error is ExitCode {
            exit(withError: error)
        } catch {
            let command = CommandLine.arguments.dropFirst().first.flatMap { commands.contains($0) ? "\($0) " : nil }
            PlainText.writeError(
                "attache: \(CommandLineFault.text(message(for: error))); see attache \(command ?? "")--help")
            exit(withError: ExitCode.configuration)
        }
    }

    private static var commands: [String] { configuration.subcommands.compactMap { $0.configuration.commandName } }

    private static func isCommand(_ word: String?) -> Bool {
        guard let word, !word.hasPrefix("-") else { return true }
        return commands.contains(word) || word == "help"
    }
}

extension ExitCode {
    /// What was asked for cannot be done as it was asked: a wrong command line, a wrong file, a port in use.
    static let configuration = ExitCode(2)
}
