import ArgumentParser
import ProxyServer

/// What a command prints; a command that cannot print it fails.
enum CommandOutput {
    /// Writes the text and a line break to standard output.
    ///
    /// - Throws: Exit code 1, after the reason has been written to standard error.
    static func write(_ text: String) throws(ExitCode) {
        guard let problem = PlainText.write(text) else { return }
        PlainText.writeError("attache: \(problem)")
        throw .failure
    }
}
