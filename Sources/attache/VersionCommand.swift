import ArgumentParser
import ProxyServer

/// `attache version`.
struct VersionCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "version", abstract: "Shows the versions of the program and its libraries.")

    func run() {
        for line in ProgramVersion.lines { PlainText.write(line) }
    }
}
