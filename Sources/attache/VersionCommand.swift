import ArgumentParser
import ProxyServer

/// `attache version`.
struct VersionCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "version", abstract: "Shows the version, and what the program is made of.")

    func run() {
        for line in ProgramVersion.lines { PlainText.write(line) }
    }
}
