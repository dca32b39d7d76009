import HTTPWire

/// The attributes of a cookie (RFC 6265 section 4.1.1) that only fit the upstream's own URLs.
extension UpstreamURLs {
    /// Appends the value of a `Set-Cookie` as the app can use it.
    ///
    /// A `Domain` that covers the upstream's host is left out, so the cookie belongs to the host that the app has
    /// named. A `Path` loses the upstream's path. All else stays, including `Secure`.
    func appendCookie(_ value: ByteRange, of bytes: Span<UInt8>, to out: inout OutputBuffer) {
        var end = Self.end(of: value.lowerBound, value.upperBound, in: bytes)
        out.append(copying: bytes, ByteRange(value.lowerBound, end))
        while end < value.upperBound {
            let start = end + 1
            end = Self.end(of: start, value.upperBound, in: bytes)
            appendAttribute(ByteRange(start, end), of: bytes, to: &out)
        }
    }

    private func appendAttribute(_ attribute: ByteRange, of bytes: Span<UInt8>, to out: inout OutputBuffer) {
        var equals = attribute.lowerBound
        while equals < attribute.upperBound, bytes[equals] != UInt8(ascii: "=") { equals += 1 }
        if equals < attribute.upperBound {
            let name = ASCII.trimmingWhitespace(bytes, ByteRange(attribute.lowerBound, equals))
            let value = ASCII.trimmingWhitespace(bytes, ByteRange(equals + 1, attribute.upperBound))
            if ASCII.equalsIgnoringCase(bytes, name, "domain"), covers(value, in: bytes) { return }
            if ASCII.equalsIgnoringCase(bytes, name, "path"), let rest = cookiePath(value, in: bytes) {
                out.append(text: "; Path=")
                if rest.isEmpty { out.append(UInt8(ascii: "/")) }
                return out.append(copying: bytes, rest)
            }
        }
        out.append(UInt8(ascii: ";"))
        out.append(copying: bytes, attribute)
    }

    /// Whether a domain is that of the upstream's host or one above it (RFC 6265 section 5.1.3).
    private func covers(_ domain: ByteRange, in bytes: Span<UInt8>) -> Bool {
        let isDotted = !domain.isEmpty && bytes[domain.lowerBound] == UInt8(ascii: ".")
        let domain = ByteRange(domain.lowerBound + (isDotted ? 1 : 0), domain.upperBound)
        let host = host
        guard !domain.isEmpty, host.count >= domain.count else { return false }
        let start = host.count - domain.count
        guard ASCII.equalsIgnoringCase(bytes, domain, host.span.extracting(start...)) else { return false }
        return start == 0 || host[start - 1] == UInt8(ascii: ".") && !HostSyntax.isIPv4(host.span, 0, host.count)
    }

    /// The part of a cookie's path below the upstream's path, empty for `/`; nil if the path stays.
    private func cookiePath(_ value: ByteRange, in bytes: Span<UInt8>) -> ByteRange? {
        guard !path.isEmpty, !value.isEmpty, bytes[value.lowerBound] == UInt8(ascii: "/") else { return nil }
        let common = min(path.count, value.count)
        guard ASCII.equals(bytes, ByteRange(value.lowerBound, value.lowerBound + common), Array(path[..<common])) else {
            return nil
        }
        if value.count >= path.count {
            let rest = ByteRange(value.lowerBound + path.count, value.upperBound)
            return rest.isEmpty || bytes[rest.lowerBound] == UInt8(ascii: "/") ? rest : nil
        }
        // The cookie belongs to a path above the upstream's, so it belongs to every request of the app.
        let endsSegment = bytes[value.upperBound - 1] == UInt8(ascii: "/") || path[common] == UInt8(ascii: "/")
        return endsSegment ? ByteRange(value.upperBound, value.upperBound) : nil
    }

    private static func end(of start: Int, _ upper: Int, in bytes: Span<UInt8>) -> Int {
        var index = start
        while index < upper, bytes[index] != UInt8(ascii: ";") { index += 1 }
        return index
    }
}
