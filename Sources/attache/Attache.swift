import ArgumentParser

@main
struct Attache: ParsableCommand {
    static let configuration = CommandConfiguration(commandName: "attache")
}
