import ArgumentParser
import ProxyConfiguration
import ProxyServer

/// The program: parses the command line and turns every result into an exit code.
@main
struct Attache: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "attache",
        abstract: "A forward proxy that attaches OAuth tokens.",
        discussion: """
            Apps send plain http:// requests through Attaché (HTTP_PROXY). Attaché adds the Authorization header from its \
            cache of tokens, and renews them before they expire. It forwards the request to the protected backend, over TLS \
            if the backend requires it.
            """,
        version: "attache \(ProgramVersion.number)",
        subcommands: [
            RunCommand.self, CheckCommand.self, DoctorCommand.self, TokenCommand.self, DemoCommand.self,
            HealthCommand.self,
            VersionCommand.self,
        ])

    static func main() {
        // Before files are read: a rotation of logs or a changed file may signal a process that starts.
        if CommandLine.arguments.dropFirst().first == RunCommand.configuration.commandName { ProxyServer.holdSignals() }
        ProxyServer.keepOpenSSL()
        PlainText.reserveStreams()
        if let word = CommandLine.arguments.dropFirst().first, !isCommand(word) {
            let advice = WordSuggestion.nearest(to: word, among: commands).map { "did you mean \($0)?" }
            PlainText.writeError(
                "attache: unknown command; \(advice ?? "write one of \(commands.joined(separator: ", "))")")
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

    private static func isCommand(_ word: String) -> Bool {
        word.hasPrefix("-") || commands.contains(word) || word == "help"
    }
}

extension ExitCode {
    /// The request cannot be fulfilled as given: the command line or a file is wrong.
    static let configuration = ExitCode(2)
    /// Another process listens on an address, so a later attempt may succeed.
    static let addressInUse = ExitCode(3)
}

/// The error of a command line, fit for a log: only options keep their text, because any other word may be a
/// misplaced secret.
enum CommandLineFault {
    /// The parser's sentence with its quotations shortened.
    static func text(_ message: String) -> String {
        var parts = message.split(separator: "'", omittingEmptySubsequences: false).map { String($0) }
        for index in parts.indices where index % 2 == 1 {
            let word = parts[index].prefix { $0 != "=" && $0 != " " }
            parts[index] = word.hasPrefix("-") && word.utf8.count <= 40 ? String(word) : "…"
        }
        var text = parts.joined(separator: "'")
        while let last = text.utf8.last, last == UInt8(ascii: ".") || last == UInt8(ascii: "\n") { text.removeLast() }
        // `check` accepts a file in this form; the other commands do not.
        return text.hasPrefix("Unexpected argument") ? "\(text); a configuration file is named by --config" : text
    }
}
