package import HTTPWire
import TokenManager

/// The proof of possession for a token that is bound to a key (DPoP, RFC 9449).
extension UpstreamRequestHead {
    /// Makes a new proof for one sending of the head.
    ///
    /// - Parameters:
    ///   - credential: The credential that is sent with the head.
    ///   - scheme: The scheme of the backend that the head is sent to; the head has its authority.
    ///   - nonce: The newest nonce from the backend.
    ///   - unixTime: The time in seconds since 1970.
    /// - Returns: The value of the field `DPoP`; nil if the token is bound to no key.
    package func proof(
        for credential: AuthorizationLine, to scheme: Scheme, nonce: String?, unixTime: Double
    ) -> String? {
        guard let binding = credential.binding else { return nil }
        let target = text(target)
        let host = text(authority)
        return binding.proof(
            method: text(method),
            // A request for the server as a whole has a URI without a path (RFC 9110 section 7.1).
            uri: "\(scheme.rawValue)://\(host)\(target == "*" ? "" : target)", nonce: nonce, unixTime: unixTime)
    }

    /// The authority in the `Host` line, which follows the request line.
    private var authority: ByteRange {
        endToEnd.withSpan { bytes in
            let start = target.upperBound + HostLine.start.utf8CodeUnitCount
            var end = start
            while bytes[end] != ASCII.carriageReturn { end += 1 }
            return ByteRange(start, end)
        }
    }

    private func text(_ range: ByteRange) -> String {
        endToEnd.withSpan { bytes in
            var copy: [UInt8] = []
            copy.append(copying: bytes, range)
            return String(decoding: copy, as: UTF8.self)
        }
    }
}
