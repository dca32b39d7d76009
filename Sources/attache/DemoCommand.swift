import ArgumentParser
import Logging
import ProxyConfiguration
import ProxyServer

/// `attache demo`: a token server, a backend and the proxy in one process, with a proof that they work.
struct DemoCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "demo",
        abstract: "Starts a token server, a protected backend and the proxy, and sends requests through them.",
        discussion: "Everything listens on free ports of 127.0.0.1; no account and no other program is needed.")

    @Flag(help: "Ends after the last step, with exit code 1 if a step failed.")
    var once = false

    func run() throws {
        let logger = Logger(label: "attache") { _ in ControlLog(LogThreshold(.warning)) }
        let isAsTold: Bool
        do throws(StartError) {
            let demonstration = try Demonstration(logger: logger) { PlainText.write($0) }
            isAsTold = try demonstration.run(once: once)
        } catch {
            PlainText.writeError("attache: \(error)")
            throw ExitCode.configuration
        }
        if !isAsTold { throw ExitCode.failure }
    }
}
