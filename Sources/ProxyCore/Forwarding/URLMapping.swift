package import HTTPWire

/// Maps the URLs of one response to those by which the app reached the upstream.
///
/// Changes `Location`, `Content-Location` and `Set-Cookie`, and no other field. One object serves one request after
/// the other. Confined to the worker's loop.
package final class URLMapping {
    private var urls: UpstreamURLs
    /// The authority that the app has named; empty if it has named none.
    private var asked: [UInt8] = []
    private var scheme = Scheme.http

    package init(_ urls: UpstreamURLs) { self.urls = urls }

    /// Prepares for the response to a request.
    package func begin(_ urls: UpstreamURLs, for head: borrowing RequestHead, in bytes: Span<UInt8>) {
        self.urls = urls
        asked.removeAll(keepingCapacity: true)
        asked.append(copying: bytes, head.namedAuthority())
        if case .absolute(let scheme, _, _, _) = head.target { self.scheme = scheme } else { scheme = .http }
    }

    /// Appends a field line that may hold a URL of the upstream.
    func append(_ field: FieldLine, of bytes: Span<UInt8>, to out: inout OutputBuffer) {
        out.append(copying: bytes, field.name)
        out.append(text: ": ")
        if field.known == .setCookie {
            urls.appendCookie(field.value, of: bytes, to: &out)
        } else {
            appendReference(field.value, of: bytes, to: &out)
        }
        out.appendCRLF()
    }

    private func appendReference(_ reference: ByteRange, of bytes: Span<UInt8>, to out: inout OutputBuffer) {
        switch urls.mapped(reference, in: bytes, asked: asked.span) {
        case .unchanged: out.append(copying: bytes, reference)
        case .url(let rest) where !asked.isEmpty:
            out.append(text: scheme == .http ? "http://" : "https://")
            out.append(copying: asked.span)
            appendPath(rest, of: bytes, to: &out)
        case .url(let rest), .path(let rest):
            guard !Self.readsAsAuthority(rest, in: bytes) else { return out.append(copying: bytes, reference) }
            appendPath(rest, of: bytes, to: &out)
        }
    }

    /// Whether a path, with nothing before it, would name another host: two slashes begin an authority (RFC 3986 section
    /// 4.2), and browsers read a backslash as a slash and leave out tabs.
    private static func readsAsAuthority(_ path: ByteRange, in bytes: Span<UInt8>) -> Bool {
        guard path.count >= 2, bytes[path.lowerBound] == UInt8(ascii: "/") else { return false }
        return [UInt8(ascii: "/"), UInt8(ascii: "\\"), UInt8(ascii: "\t")].contains(bytes[path.lowerBound + 1])
    }

    private func appendPath(_ rest: ByteRange, of bytes: Span<UInt8>, to out: inout OutputBuffer) {
        if rest.isEmpty || bytes[rest.lowerBound] != UInt8(ascii: "/") { out.append(UInt8(ascii: "/")) }
        out.append(copying: bytes, rest)
    }
}
