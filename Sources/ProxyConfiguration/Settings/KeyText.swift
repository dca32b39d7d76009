/// Which keys and names are harmless in a message: they are short and hold no control character or space.
enum KeyText {
    static func isWord(_ text: String) -> Bool {
        (1...64).contains(text.utf8.count) && isName(text)
    }

    /// A name for a route or a credential; it comes into logs, metrics and header fields.
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

    /// A path as it may stand in a message: a control character must not change what a terminal shows.
    static func printable(_ text: String) -> String {
        let scalars = text.unicodeScalars.map { $0.properties.generalCategory == .control ? "?" : $0 }
        return String(String.UnicodeScalarView(scalars))
    }
}
