/// The two schemes that a proxy request may name (RFC 9110 section 4.2).
package enum TargetScheme: Equatable, Sendable {
    case http
    case https
}

/// What a request asks for, in one of the four forms of RFC 9112 section 3.2.
///
/// The path keeps the bytes as they came, query included; the proxy never decodes or normalises them.
package enum RequestTarget: Equatable, Sendable {
    /// A path that begins with a slash.
    case origin(path: ByteRange)
    /// The path may be empty or begin with "?". An IPv6 host has its brackets.
    case absolute(scheme: TargetScheme, host: ByteRange, port: UInt16?, path: ByteRange)
    /// With CONNECT, and only with it.
    case authority(host: ByteRange, port: UInt16)
    /// With OPTIONS only.
    case asterisk

    /// Reads a target whose bytes are known to be visible ASCII without "#".
    init(_ bytes: Span<UInt8>, _ text: ByteRange, for method: Method) throws(MessageError) {
        if method == .connect {
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
            self = try Self.absoluteForm(bytes, text)
        }
    }

    private static func authorityForm(_ bytes: Span<UInt8>, _ text: ByteRange) throws(MessageError) -> Self {
        for index in text.lowerBound..<text.upperBound where isPathStart(bytes[index]) { throw .targetFormNotAllowed }
        let authority = try Authority(bytes, text)
        // There is no default to fall back on: a tunnel has no scheme (RFC 9112 section 3.2.3).
        guard let port = authority.port else { throw .malformedPort }
        return .authority(host: authority.host, port: port)
    }

    private static func absoluteForm(_ bytes: Span<UInt8>, _ text: ByteRange) throws(MessageError) -> Self {
        let (scheme, start) = try scheme(bytes, text)
        var end = start
        while end < text.upperBound, !isPathStart(bytes[end]) { end += 1 }
        let authority = try Authority(bytes, ByteRange(start, end))
        return .absolute(
            scheme: scheme, host: authority.host, port: authority.port, path: ByteRange(end, text.upperBound))
    }

    /// The scheme and the offset at which the authority begins.
    private static func scheme(
        _ bytes: Span<UInt8>, _ text: ByteRange
    ) throws(MessageError) -> (TargetScheme, Int) {
        var colon = text.lowerBound
        while colon < text.upperBound, isSchemeByte(bytes[colon]) { colon += 1 }
        guard colon > text.lowerBound, text.upperBound - colon >= 3,
            ASCII.equals(bytes, ByteRange(colon, colon + 3), "://")
        else { throw .malformedTarget }
        let name = ByteRange(text.lowerBound, colon)
        if ASCII.equalsIgnoringCase(bytes, name, "http") { return (.http, colon + 3) }
        if ASCII.equalsIgnoringCase(bytes, name, "https") { return (.https, colon + 3) }
        throw .unsupportedScheme
    }

    private static func isSchemeByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "."): true
        default: ASCII.isLetter(byte) || ASCII.isDigit(byte)
        }
    }

    private static func isPathStart(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: "/") || byte == UInt8(ascii: "?")
    }
}
