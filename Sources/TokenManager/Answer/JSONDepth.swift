/// The depth of arrays and objects in UTF-8 JSON, found before it is decoded.
///
/// Whether the bytes are JSON at all is for the decoder to say.
enum JSONDepth {
    /// Whether there are more levels than `most`.
    static func exceeds(_ most: Int, in bytes: some Sequence<UInt8>) -> Bool {
        var depth = 0
        var isQuoted = false
        var isEscaped = false
        for byte in bytes {
            if isQuoted {
                isQuoted = isEscaped || byte != UInt8(ascii: "\"")
                isEscaped = !isEscaped && byte == UInt8(ascii: "\\")
                continue
            }
            switch byte {
            case UInt8(ascii: "\""): isQuoted = true
            case UInt8(ascii: "{"), UInt8(ascii: "["):
                depth += 1
                if depth > most { return true }
            case UInt8(ascii: "}"), UInt8(ascii: "]"): depth -= 1
            default: break
            }
        }
        return false
    }
}
