/// A credential as the finished last bytes of a head: `Authorization: Bearer …` CRLF and the empty line.
///
/// Made once per token by whoever learns of it, so that a request only copies it. Shows nothing of its value.
package struct AuthorizationLine: Sendable, Equatable, CustomStringConvertible, CustomReflectable {
    package let bytes: [UInt8]
    /// The lower-case name of the field, so that the app's own field of that name can be left out.
    package let name: [UInt8]

    /// Both parts must have been checked as a field name and a field value (RFC 9110 section 5).
    package init(name: String, value: String) {
        bytes = Array("\(name): \(value)\r\n\r\n".utf8)
        self.name = Array(name.lowercased().utf8)
    }

    package var description: String { "AuthorizationLine(redacted)" }
    package var customMirror: Mirror { Mirror(self, children: []) }
}
