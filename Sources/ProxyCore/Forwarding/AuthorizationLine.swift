import HTTPWire
package import TokenManager

/// A credential as the finished last bytes of a head: `Authorization: Bearer …` CRLF and the empty line.
///
/// Made once per token by whoever learns of it, so that a request only copies it. Shows nothing of its value.
package struct AuthorizationLine: Sendable, Equatable, CustomStringConvertible, CustomReflectable {
    package let bytes: [UInt8]
    /// What its token is bound to, so that each request needs a proof behind the line; nil if to nothing.
    package let binding: TokenBinding?

    /// Both parts must have been checked as a field name and a field value (RFC 9110 section 5).
    package init(name: String, value: String, binding: TokenBinding? = nil) {
        bytes = Array("\(name): \(value)\r\n\r\n".utf8)
        self.binding = binding
    }

    /// A line with a proof behind it.
    init(_ line: AuthorizationLine, proof: String) {
        bytes = line.bytes.dropLast(2) + "DPoP: \(proof)\r\n\r\n".utf8
        binding = line.binding
    }

    /// The field value of a finished line, without a proof behind it; empty where it is none.
    package static func value(of line: [UInt8]) -> String {
        guard let colon = line.firstIndex(of: UInt8(ascii: ":")) else { return "" }
        return String(decoding: line[(colon + 1)...].dropFirst().prefix { $0 != ASCII.carriageReturn }, as: UTF8.self)
    }

    package var description: String { "AuthorizationLine(redacted)" }
    package var customMirror: Mirror { Mirror(self, children: []) }
}
