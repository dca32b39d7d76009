import HTTPWire

/// The path prefix of a route, compared segment by segment.
///
/// A path with a dot segment, plain or percent-encoded, matches no prefix, because the backend may resolve it to a
/// path outside the prefix.
struct PathPattern: Sendable {
    private let prefix: [UInt8]
    /// Whether every path matches.
    let takesAll: Bool

    /// Whether some path can match the prefix.
    static func isReachable(_ prefix: String) -> Bool {
        let bytes = Array(prefix.utf8)
        return !hasDotSegment(ByteRange(0, bytes.count), in: bytes.span)
    }

    /// - Parameters:
    ///   - prefix: The prefix; nil matches every path.
    ///   - isConfined: Whether the backend must not resolve a path without a prefix either.
    init(prefix: String?, isConfined: Bool = false) {
        // Every path is below "/", and an empty path stands for it.
        self.prefix = prefix == "/" ? [] : Array((prefix ?? "").utf8)
        takesAll = !isConfined && self.prefix.isEmpty
    }

    func matches(_ path: ByteRange, in bytes: Span<UInt8>) -> Bool {
        if takesAll { return true }
        guard path.count >= prefix.count else { return false }
        for index in prefix.indices where bytes[path.lowerBound + index] != prefix[index] { return false }
        if !prefix.isEmpty, prefix.last != UInt8(ascii: "/"), path.count > prefix.count {
            let next = bytes[path.lowerBound + prefix.count]
            guard next == UInt8(ascii: "/") || next == UInt8(ascii: "?") else { return false }
        }
        return !Self.hasDotSegment(path, in: bytes)
    }

    /// Whether a segment is `.` or `..` (RFC 3986 section 5.2.4).
    ///
    /// A segment also counts if it begins with dots and some backends cut off the rest. Encoded dots and slashes
    /// count as dots and slashes.
    static func hasDotSegment(_ path: ByteRange, in bytes: Span<UInt8>) -> Bool {
        var index = path.lowerBound
        var atStart = false
        while index < path.upperBound, bytes[index] != UInt8(ascii: "?") {
            let (byte, width) = decoded(at: index, before: path.upperBound, in: bytes)
            if atStart, byte == UInt8(ascii: "."), isDots(from: index, before: path.upperBound, in: bytes) {
                return true
            }
            atStart = byte == UInt8(ascii: "/") || byte == UInt8(ascii: "\\")
            index += width
        }
        return false
    }

    private static func isDots(from start: Int, before end: Int, in bytes: Span<UInt8>) -> Bool {
        var index = start
        while index < end {
            let (byte, width) = decoded(at: index, before: end, in: bytes)
            switch byte {
            case UInt8(ascii: "."): index += width
            case UInt8(ascii: "/"), UInt8(ascii: "\\"), UInt8(ascii: "?"), UInt8(ascii: ";"), UInt8(ascii: "#"),
                0..<0x21:
                return true
            default: return false
            }
        }
        return true
    }

    private static func decoded(at index: Int, before end: Int, in bytes: Span<UInt8>) -> (byte: UInt8, width: Int) {
        guard bytes[index] == UInt8(ascii: "%"), index + 2 < end, let high = nibble(bytes[index + 1]),
            let low = nibble(bytes[index + 2])
        else { return (bytes[index], 1) }
        return (high << 4 | low, 3)
    }

    private static func nibble(_ byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}
