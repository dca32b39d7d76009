import EventTransport

/// Sentences for the person at the terminal, on standard error, without the clothes of a log.
package enum PlainErrors {
    /// Writes the text and a line break.
    package static func write(_ text: String) {
        StandardError.write(Array(text.utf8) + [UInt8(ascii: "\n")])
    }
}
