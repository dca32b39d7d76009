import HTTPWire
import TokenManager

/// The proof that belongs to a token which is bound to a key (DPoP, RFC 9449).
extension UpstreamRequestHead {
    /// Makes a new proof for one sending of the head.
    ///
    /// - Parameters:
    ///   - credential: The credential that the head is sent with.
    ///   - host: Where the head goes.
    ///   - nonce: The newest that the backend gave.
    ///   - unixTime: Now, in seconds since 1970.
    /// - Returns: The value of the field `DPoP`; nil where the credential's token is bound to no key.
    package func proof(
        for credential: AuthorizationLine, to host: borrowing HostLine, nonce: String?, unixTime: Double
    ) -> String? {
        guard let binding = credential.binding else { return nil }
        let target = text(target)
        return binding.proof(
            method: text(method),
            // A request about the server as a whole has a URI without a path (RFC 9110 section 7.1).
            uri: host.uri + (target == "*" ? "" : target), nonce: nonce, unixTime: unixTime)
    }

    private func text(_ range: ByteRange) -> String {
        endToEnd.withSpan { bytes in
            var copy: [UInt8] = []
            copy.append(copying: bytes, range)
            return String(decoding: copy, as: UTF8.self)
        }
    }
}
