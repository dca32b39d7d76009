import HTTPWire
package import TokenManager

/// A credential as the finished last bytes of a head: `Authorization: Bearer …`, CRLF and the empty line.
///
/// Made once for each token, so that a request only copies it. No description shows its value.
///
/// A class, so that a request retains one reference instead of one for each part.
package final class AuthorizationLine: Sendable, CustomStringConvertible, CustomReflectable {
    private let bytes: OutputBuffer
    /// The key that the token is bound to, so that each sending needs a proof after the line; nil if it is bound to
    /// none.
    package let binding: TokenBinding?

    /// Makes the line from a name and a value that the caller has checked as a field name and value (RFC 9110 section
    /// 5).
    package init(name: String, value: String, binding: TokenBinding? = nil) {
        bytes = OutputBuffer(Array("\(name): \(value)\r\n\r\n".utf8))
        self.binding = binding
    }

    /// Ends a head with the line, and with a proof after it if one is given.
    func append(proof: String?, to out: inout OutputBuffer) {
        guard let proof else { return out.append(copying: bytes) }
        bytes.withSpan { out.append(copying: $0.extracting(..<($0.count - 2))) }
        out.append(text: "DPoP: ")
        out.append(copying: Array(proof.utf8).span)
        out.append(text: "\r\n\r\n")
    }

    package var description: String { "AuthorizationLine(redacted)" }
    package var customMirror: Mirror { Mirror(self, children: []) }
}
