/// Finds a shell variable such as `${HOST}` in a value, which Attaché does not replace.
enum VariableReference {
    /// The name of the first variable in a text.
    static func first(in text: String) -> String? {
        var rest = text[...]
        while let start = rest.firstRange(of: "${") {
            rest = rest[start.upperBound...]
            if let end = rest.firstIndex(of: "}"), isName(rest[..<end]) { return String(rest[..<end]) }
        }
        return nil
    }

    /// The name if the text is exactly one variable; a secret may contain `${` by chance.
    static func only(in text: String) -> String? {
        guard text.hasPrefix("${"), text.hasSuffix("}") else { return nil }
        let name = text.dropFirst(2).dropLast()
        return isName(name) ? String(name) : nil
    }

    private static func isName(_ text: Substring) -> Bool {
        (1...64).contains(text.utf8.count)
            && text.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"): true
                case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"): true
                default: false
                }
            }
    }
}
