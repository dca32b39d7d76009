/// Text made safe to stand inside a structured field.
package enum StructuredFieldText {
    /// The inside of a string of RFC 9651 section 3.3.3: printable ASCII, anything else as a question mark.
    package static func string(_ text: String) -> String {
        var out = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": out += "\\\""
            case "\\": out += "\\\\"
            case " "..."~": out.unicodeScalars.append(scalar)
            default: out += "?"
            }
        }
        return out
    }
}
