/// Decides which keys and names a message may quote: short ones without spaces and control characters.
enum KeyText {
    static func isWord(_ text: String) -> Bool {
        (1...64).contains(text.utf8.count) && isName(text)
    }

    /// Whether a text may name a route or a credential, in logs, metrics and header fields.
    static func isName(_ text: String) -> Bool {
        (1...255).contains(text.utf8.count)
            && text.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
                case UInt8(ascii: "0")...UInt8(ascii: "9"): true
                default: "._-*:[]".utf8.contains(byte)
                }
            }
    }

    /// A path for a message, without control characters, which could change what a terminal shows.
    static func printable(_ text: String) -> String {
        let scalars = text.unicodeScalars.map { $0.properties.generalCategory == .control ? "?" : $0 }
        return String(String.UnicodeScalarView(scalars))
    }
}
