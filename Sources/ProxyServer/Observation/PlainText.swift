import EventTransport

/// Sentences for the person at the terminal, without the clothes of a log.
package enum PlainText {
    /// To be called first: streams that were closed when the process began lead nowhere from now on.
    package static func reserveStreams() { StandardStream.reserve() }

    /// Writes the text and a line break to standard error.
    package static func writeError(_ text: String) { StandardStream.error.write(Array("\(text)\n".utf8)) }

    /// Writes the text and a line break to standard output.
    package static func write(_ text: String) { StandardStream.output.write(Array("\(text)\n".utf8)) }
}
