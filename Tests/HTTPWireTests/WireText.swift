import HTTPWire

/// The text's characters as bytes, each below 0x100.
func latin1(_ text: String) -> [UInt8] {
    text.unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) }
}

/// Lines, each ended by CR LF, and the empty line.
func head(_ lines: String...) -> String {
    lines.map { $0 + "\r\n" }.joined() + "\r\n"
}

/// A head in HTTP/1.1 with a Host field and these.
func request(_ fields: String..., method: String = "POST") -> String {
    (["\(method) http://a.example/ HTTP/1.1", "Host: a.example"] + fields).map { $0 + "\r\n" }.joined() + "\r\n"
}

/// A 200 in HTTP/1.1 with these fields.
func response(_ fields: String..., status: String = "200 OK") -> String {
    (["HTTP/1.1 \(status)"] + fields).map { $0 + "\r\n" }.joined() + "\r\n"
}

func text(_ bytes: [UInt8], _ range: ByteRange) -> String {
    String(decoding: bytes[range.lowerBound..<range.upperBound], as: UTF8.self)
}
