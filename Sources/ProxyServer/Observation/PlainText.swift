import EventTransport

/// Writes plain sentences for the person at the terminal.
package enum PlainText {
    /// Opens `/dev/null` in place of closed standard streams; must be called first.
    package static func reserveStreams() { StandardStream.reserve() }

    /// Writes the text and a line break to standard error.
    package static func writeError(_ text: String) { StandardStream.error.write(Array("\(text)\n".utf8)) }

    /// Writes the text and a line break to standard output.
    package static func write(_ text: String) { StandardStream.output.write(Array("\(text)\n".utf8)) }
}
