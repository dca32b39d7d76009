import HTTPWire
import TokenManager

/// The proof that belongs to a token which is bound to a key (DPoP, RFC 9449).
extension AuthorizationLine {
    /// The line with a new proof behind it; itself where its token is bound to nothing.
    ///
    /// - Parameters:
    ///   - head: The head that it is for, as it is sent: method and target are read from its first line.
    ///   - host: Where the head goes.
    ///   - nonce: The newest that the backend gave.
    ///   - unixTime: Now, in seconds since 1970.
    /// - Returns: The credential's last lines of the head.
    package func proven(
        for head: Span<UInt8>, to host: borrowing HostLine, nonce: String?, unixTime: Double
    ) -> AuthorizationLine {
        guard let binding else { return self }
        let space = UInt8(ascii: " ")
        var methodEnd = 0
        while head[methodEnd] != space { methodEnd += 1 }
        var targetEnd = methodEnd + 1
        while head[targetEnd] != space { targetEnd += 1 }
        let target = Self.text(head.extracting((methodEnd + 1)..<targetEnd))
        let proof = binding.proof(
            method: Self.text(head.extracting(..<methodEnd)),
            // A request about the server as a whole has a URI without a path (RFC 9110 section 7.1).
            uri: host.uri + (target == "*" ? "" : target), nonce: nonce, unixTime: unixTime)
        return AuthorizationLine(self, proof: proof)
    }

    private static func text(_ bytes: Span<UInt8>) -> String {
        var copy: [UInt8] = []
        copy.append(copying: bytes)
        return String(decoding: copy, as: UTF8.self)
    }
}
