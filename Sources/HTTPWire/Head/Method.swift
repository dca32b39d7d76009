/// The request methods that the proxy handles specially (RFC 9110 section 9); names are case-sensitive.
package enum Method: Equatable, Sendable {
    case get
    case head
    case post
    case put
    case delete
    case connect
    case options
    case trace
    case patch
    /// Any other token; the head's `methodName` has its text.
    case other

    /// Whether sending the request twice has the same effect as sending it once (RFC 9110 section 9.2.2).
    package var isIdempotent: Bool {
        switch self {
        case .get, .head, .put, .delete, .options, .trace: true
        case .post, .connect, .patch, .other: false
        }
    }

    init(_ bytes: Span<UInt8>, _ name: ByteRange) {
        // The most common method; a space follows the name.
        if name.count == 3, name.upperBound < bytes.count,
            bytes.half(at: name.lowerBound) & 0x00FF_FFFF == ("GET " as StaticString).half(at: 0) & 0x00FF_FFFF
        {
            self = .get
            return
        }
        switch name.count {
        case 3: self = Self.pick(bytes, name, ("GET", .get), ("PUT", .put))
        case 4: self = Self.pick(bytes, name, ("POST", .post), ("HEAD", .head))
        case 5: self = Self.pick(bytes, name, ("PATCH", .patch), ("TRACE", .trace))
        case 6: self = ASCII.equals(bytes, name, "DELETE") ? .delete : .other
        case 7: self = Self.pick(bytes, name, ("OPTIONS", .options), ("CONNECT", .connect))
        default: self = .other
        }
    }

    @inline(__always)
    private static func pick(
        _ bytes: Span<UInt8>, _ name: ByteRange, _ first: (String, Method), _ second: (String, Method)
    ) -> Method {
        if ASCII.equals(bytes, name, first.0) { return first.1 }
        return ASCII.equals(bytes, name, second.0) ? second.1 : .other
    }
}
