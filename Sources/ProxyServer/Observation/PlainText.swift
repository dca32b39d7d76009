import EventTransport

/// Sentences for the person at the terminal, without the clothes of a log.
package enum PlainText {
    /// Writes the text and a line break to standard error.
    package static func writeError(_ text: String) { StandardStream.error.write(Array("\(text)\n".utf8)) }

    /// Writes the text and a line break to standard output.
    package static func write(_ text: String) { StandardStream.output.write(Array("\(text)\n".utf8)) }
}
