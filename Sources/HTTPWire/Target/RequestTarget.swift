/// The target of a request, in one of the four forms of RFC 9112 section 3.2.
///
/// The path keeps the received bytes, including the query; the proxy never decodes or normalises them.
package enum RequestTarget: Equatable, Sendable {
    /// A path that begins with a slash.
    case origin(path: ByteRange)
    /// The path may be empty or begin with "?". An IPv6 host has its brackets.
    case absolute(scheme: Scheme, host: ByteRange, port: UInt16?, path: ByteRange)
    /// A host and port; with CONNECT, and only with it.
    case authority(host: ByteRange, port: UInt16)
    /// The asterisk; with OPTIONS only.
    case asterisk

    /// Reads a target whose bytes are known to be visible ASCII without "#".
    ///
    /// An authority that is `known` is not parsed again.
    init(
        _ bytes: Span<UInt8>, _ text: ByteRange, for method: Method, known: borrowing KnownAuthority
    ) throws(MessageError) {
        known.targetBegan()
        if case .connect = method {
            self = try Self.authorityForm(bytes, text)
            return
        }
        let first = bytes[text.lowerBound]
        if first == UInt8(ascii: "/") {
            self = .origin(path: text)
        } else if first == UInt8(ascii: "*"), text.count == 1 {
            guard method == .options else { throw .targetFormNotAllowed }
            self = .asterisk
        } else {
            self = try Self.absoluteForm(bytes, text, known)
        }
    }

    private static func authorityForm(_ bytes: Span<UInt8>, _ text: ByteRange) throws(MessageError) -> Self {
        for index in text.lowerBound..<text.upperBound where Authority.isPathStart(bytes[index]) {
            throw .targetFormNotAllowed
        }
        let authority = try Authority(bytes, from: text.lowerBound, to: text.upperBound)
        // The port has no default, because a tunnel has no scheme (RFC 9112 section 3.2.3).
        guard let port = authority.port else { throw .missingPort }
        return .authority(host: authority.host, port: port)
    }

    private static func absoluteForm(
        _ bytes: Span<UInt8>, _ text: ByteRange, _ known: borrowing KnownAuthority
    ) throws(MessageError) -> Self {
        let (scheme, start) = try scheme(bytes, text)
        let authority: Authority
        if let match = known.match(bytes, from: start, to: text.upperBound) {
            authority = match
        } else {
            authority = try Authority(bytes, from: start, to: text.upperBound)
            known.note(authority, in: bytes, from: start)
        }
        return .absolute(
            scheme: scheme, host: authority.host, port: authority.port,
            path: ByteRange(authority.end, text.upperBound))
    }

    /// The scheme and the offset at which the authority begins.
    private static func scheme(
        _ bytes: Span<UInt8>, _ text: ByteRange
    ) throws(MessageError) -> (Scheme, Int) {
        let start = text.lowerBound
        if text.count >= 8 {
            // Setting bit 0x20, in which the cases differ, leaves ":" and "/" unchanged and turns no other visible
            // byte into one of them.
            let word = bytes.word(at: start) | 0x2020_2020_2020_2020
            if word & 0x00FF_FFFF_FFFF_FFFF == http { return (.http, start + 7) }
            if word == https { return (.https, start + 8) }
        }
        var colon = start
        while colon < text.upperBound, isSchemeByte(bytes[colon]) { colon += 1 }
        guard colon > start, text.upperBound - colon >= 3,
            ASCII.equals(bytes, ByteRange(colon, colon + 3), "://")
        else { throw .malformedTarget }
        // "http://" alone is too short for the word above.
        throw ASCII.equalsIgnoringCase(bytes, ByteRange(start, colon), "http") ? .emptyHost : .unsupportedScheme
    }

    // "http://" and "https://" as eight bytes, the first in the low bits.
    private static let http: UInt64 = 0x002F_2F3A_7074_7468
    private static let https: UInt64 = 0x2F2F_3A73_7074_7468

    private static func isSchemeByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "."): true
        default: ASCII.isLetter(byte) || ASCII.isDigit(byte)
        }
    }
}

/// The two schemes of requests and origins: plain, and TLS (RFC 9110 section 4.2).
package enum Scheme: String, Equatable, Hashable, Sendable {
    case http
    case https

    /// The default port of the scheme (RFC 9110 section 4.2).
    package var defaultPort: UInt16 {
        switch self {
        case .http: 80
        case .https: 443
        }
    }
}
