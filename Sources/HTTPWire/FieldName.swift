/// The field names that the proxy treats apart, recognised in any case of letters while a head is parsed.
package enum FieldName: UInt8, BitwiseCopyable, CaseIterable, Sendable {
    case other
    case host
    case connection
    case contentLength
    case transferEncoding
    case te
    case trailer
    case upgrade
    case keepAlive
    case proxyConnection
    case proxyAuthorization
    case proxyAuthenticate
    case proxyAuthenticationInfo
    case authorization
    case expect
    case maxForwards
    case contentType
    case retryAfter
    case wwwAuthenticate
    case dpopNonce
    case http2Settings

    /// Whether the field concerns one connection only and is never passed on (RFC 9110 section 7.6.1).
    ///
    /// The proxy authentication fields are among them: the proxy is their end.
    package var isHopByHop: Bool {
        switch self {
        case .connection, .te, .trailer, .upgrade, .keepAlive, .proxyConnection, .proxyAuthorization,
            .proxyAuthenticate, .proxyAuthenticationInfo, .transferEncoding, .http2Settings:
            true
        case .other, .host, .contentLength, .authorization, .expect, .maxForwards, .contentType, .retryAfter,
            .wwwAuthenticate, .dpopNonce:
            false
        }
    }

    init(_ bytes: Span<UInt8>, _ name: ByteRange) {
        guard let (candidate, text) = Self.candidate(bytes, name) else {
            self = .other
            return
        }
        self = ASCII.isName(bytes, name, text) ? candidate : .other
    }

    /// The one known name of this length and first letter, which are enough to tell all of them apart.
    @inline(__always)
    private static func candidate(_ bytes: Span<UInt8>, _ name: ByteRange) -> (FieldName, String)? {
        guard name.count >= 2 else { return nil }
        let letter = bytes[name.lowerBound] | 0x20
        switch (name.count, letter) {
        case (2, UInt8(ascii: "t")): return (.te, "te")
        case (4, UInt8(ascii: "h")): return (.host, "host")
        case (6, UInt8(ascii: "e")): return (.expect, "expect")
        case (7, UInt8(ascii: "t")): return (.trailer, "trailer")
        case (7, UInt8(ascii: "u")): return (.upgrade, "upgrade")
        case (10, UInt8(ascii: "c")): return (.connection, "connection")
        case (10, UInt8(ascii: "d")): return (.dpopNonce, "dpop-nonce")
        case (10, UInt8(ascii: "k")): return (.keepAlive, "keep-alive")
        case (11, UInt8(ascii: "r")): return (.retryAfter, "retry-after")
        case (12, UInt8(ascii: "c")): return (.contentType, "content-type")
        case (12, UInt8(ascii: "m")): return (.maxForwards, "max-forwards")
        case (13, UInt8(ascii: "a")): return (.authorization, "authorization")
        case (14, UInt8(ascii: "c")): return (.contentLength, "content-length")
        case (14, UInt8(ascii: "h")): return (.http2Settings, "http2-settings")
        case (16, UInt8(ascii: "p")): return (.proxyConnection, "proxy-connection")
        case (16, UInt8(ascii: "w")): return (.wwwAuthenticate, "www-authenticate")
        case (17, UInt8(ascii: "t")): return (.transferEncoding, "transfer-encoding")
        case (18, UInt8(ascii: "p")): return (.proxyAuthenticate, "proxy-authenticate")
        case (19, UInt8(ascii: "p")): return (.proxyAuthorization, "proxy-authorization")
        case (25, UInt8(ascii: "p")): return (.proxyAuthenticationInfo, "proxy-authentication-info")
        default: return nil
        }
    }
}
