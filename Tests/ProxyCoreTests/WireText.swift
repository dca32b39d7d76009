import HTTPWire

/// The text's characters as bytes, each below 0x100.
func latin1(_ text: String) -> [UInt8] {
    text.unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) }
}

/// The bytes as characters below 0x100, so that no byte is lost in a comparison.
func latin1(_ bytes: [UInt8]) -> String {
    var text = String.UnicodeScalarView()
    for byte in bytes { text.append(Unicode.Scalar(byte)) }
    return String(text)
}

extension OutputBuffer {
    /// What has been written, one character a byte.
    var text: String {
        withSpan { bytes in
            var copy: [UInt8] = []
            copy.append(copying: bytes)
            return latin1(copy)
        }
    }
}

/// Lines, each ended by CR LF, and the empty line.
func head(_ lines: [String]) -> String {
    lines.map { $0 + "\r\n" }.joined() + "\r\n"
}
