/// The field names that the proxy handles specially, recognised in any case while a head is parsed.
@usableFromInline package enum FieldName: UInt8, BitwiseCopyable, CaseIterable, Sendable {
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
    case proxyStatus
    case location
    case contentLocation
    case setCookie
    case via

    /// Whether the field concerns one connection only and is never forwarded (RFC 9110 section 7.6.1).
    ///
    /// That includes the proxy authentication fields, because the proxy itself is their recipient.
    @inlinable package var isHopByHop: Bool {
        switch self {
        case .connection, .te, .trailer, .upgrade, .keepAlive, .proxyConnection, .proxyAuthorization,
            .proxyAuthenticate, .proxyAuthenticationInfo, .transferEncoding, .http2Settings:
            true
        case .other, .host, .contentLength, .authorization, .expect, .maxForwards, .contentType, .retryAfter,
            .wwwAuthenticate, .dpopNonce, .proxyStatus, .location, .contentLocation, .setCookie, .via:
            false
        }
    }

    /// Whether the field frames or routes the message.
    @inline(__always)
    var isFact: Bool {
        switch self {
        case .host, .contentLength, .transferEncoding, .connection, .expect, .keepAlive: true
        default: false
        }
    }

    /// The known name with this length and first letter, which identify it, if `name` equals it.
    init(_ bytes: Span<UInt8>, _ name: ByteRange) {
        let letter = name.isEmpty ? 0 : bytes[name.lowerBound] | 0x20
        self =
            switch name.count {
            case 2: letter == UInt8(ascii: "t") && bytes[name.lowerBound + 1] | 0x20 == UInt8(ascii: "e") ? .te : .other
            case 3:
                letter == UInt8(ascii: "v") && bytes[name.lowerBound + 1] | 0x20 == UInt8(ascii: "i")
                    && bytes[name.lowerBound + 2] | 0x20 == UInt8(ascii: "a") ? .via : .other
            case 4: Self.check(bytes, name, .host, "host")
            case 6: Self.check(bytes, name, .expect, "expect")
            case 7:
                letter == UInt8(ascii: "t")
                    ? Self.check(bytes, name, .trailer, "trailer") : Self.check(bytes, name, .upgrade, "upgrade")
            case 8: Self.check(bytes, name, .location, "location")
            case 10:
                switch letter {
                case UInt8(ascii: "c"): Self.check(bytes, name, .connection, "connection")
                case UInt8(ascii: "d"): Self.check(bytes, name, .dpopNonce, "dpop-nonce")
                case UInt8(ascii: "s"): Self.check(bytes, name, .setCookie, "set-cookie")
                default: Self.check(bytes, name, .keepAlive, "keep-alive")
                }
            case 11: Self.check(bytes, name, .retryAfter, "retry-after")
            case 12:
                switch letter {
                case UInt8(ascii: "c"): Self.check(bytes, name, .contentType, "content-type")
                case UInt8(ascii: "m"): Self.check(bytes, name, .maxForwards, "max-forwards")
                default: Self.check(bytes, name, .proxyStatus, "proxy-status")
                }
            case 13: Self.check(bytes, name, .authorization, "authorization")
            case 14:
                letter == UInt8(ascii: "c")
                    ? Self.check(bytes, name, .contentLength, "content-length")
                    : Self.check(bytes, name, .http2Settings, "http2-settings")
            case 16:
                switch letter {
                case UInt8(ascii: "c"): Self.check(bytes, name, .contentLocation, "content-location")
                case UInt8(ascii: "p"): Self.check(bytes, name, .proxyConnection, "proxy-connection")
                default: Self.check(bytes, name, .wwwAuthenticate, "www-authenticate")
                }
            case 17: Self.check(bytes, name, .transferEncoding, "transfer-encoding")
            case 18: Self.check(bytes, name, .proxyAuthenticate, "proxy-authenticate")
            case 19: Self.check(bytes, name, .proxyAuthorization, "proxy-authorization")
            case 25: Self.check(bytes, name, .proxyAuthenticationInfo, "proxy-authentication-info")
            default: .other
            }
    }

    @inline(__always)
    private static func check(
        _ bytes: Span<UInt8>, _ name: ByteRange, _ known: FieldName, _ text: StaticString
    ) -> FieldName {
        ASCII.isName(bytes, at: name.lowerBound, text) ? known : .other
    }
}

/// Recognises the names of the fields that frame a message, byte by byte.
struct FramingName: Sendable {
    private static let length = "content-length"
    private static let coding = "transfer-encoding"

    private var count = 0
    private var mayBeLength = true
    private var mayBeCoding = true

    /// Whether the bytes so far are the whole name of such a field.
    var isFraming: Bool {
        (mayBeLength && count == Self.length.utf8.count) || (mayBeCoding && count == Self.coding.utf8.count)
    }

    mutating func append(_ byte: UInt8) {
        mayBeLength = mayBeLength && Self.isByte(byte, at: count, of: Self.length)
        mayBeCoding = mayBeCoding && Self.isByte(byte, at: count, of: Self.coding)
        count += 1
    }

    private static func isByte(_ byte: UInt8, at index: Int, of name: String) -> Bool {
        index < name.utf8.count && name.utf8.span[index] == ASCII.lowercased(byte)
    }
}
