import ArgumentParser

/// `attache version`.
struct VersionCommand: ParsableCommand {
    static let configuration = CommandConfiguration(commandName: "version", abstract: "Shows the version.")

    func run() {
        print("attache \(Attache.version)")
    }
}
