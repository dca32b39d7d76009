import HTTPWire

/// The URLs of a route's upstream, which an app that reaches it by another URL cannot use as they are.
///
/// It finds the part of such a URL that follows the upstream's path. Other URLs are left alone.
package final class UpstreamURLs: Sendable {
    private let scheme: Scheme
    /// In lower case, without brackets.
    let host: [UInt8]
    private let port: UInt16
    /// Empty, or without a slash at its end.
    let path: [UInt8]
    let preservesHost: Bool

    package init(_ origin: Origin, path: String = "", preservesHost: Bool = false) {
        scheme = origin.scheme
        host = Array(origin.host.utf8)
        port = origin.port
        self.path = Array(path.utf8)
        self.preservesHost = preservesHost
    }

    /// How a URL reference of a response reads for the app.
    enum Mapped: Equatable {
        /// As the backend wrote it.
        case unchanged
        /// The app's authority, and this rest of the reference. A slash comes first if the rest lacks one.
        case url(ByteRange)
        /// This rest of the reference. A slash comes first if the rest lacks one.
        case path(ByteRange)
    }

    /// Maps a URL reference (RFC 3986 section 4.1) by the authority that the app has named.
    func mapped(_ reference: ByteRange, in bytes: Span<UInt8>, asked: Span<UInt8>) -> Mapped {
        let (lower, upper) = (reference.lowerBound, reference.upperBound)
        if reference.count >= 2, ASCII.equals(bytes, ByteRange(lower, lower + 2), "//") {
            return mapped(authorityFrom: lower + 2, to: upper, of: scheme, in: bytes, asked: asked)
        }
        if lower < upper, bytes[lower] == UInt8(ascii: "/") {
            guard !path.isEmpty, let rest = belowPath(reference, in: bytes) else { return .unchanged }
            return .path(rest)
        }
        for scheme in [Scheme.https, .http] {
            let start = "\(scheme.rawValue)://"
            let end = lower + start.utf8.count
            guard end <= upper, ASCII.equalsIgnoringCase(bytes, ByteRange(lower, end), start) else { continue }
            return mapped(authorityFrom: end, to: upper, of: scheme, in: bytes, asked: asked)
        }
        return .unchanged
    }

    private func mapped(
        authorityFrom lower: Int, to upper: Int, of scheme: Scheme, in bytes: Span<UInt8>, asked: Span<UInt8>
    ) -> Mapped {
        guard let authority = try? Authority(bytes, from: lower, to: upper) else { return .unchanged }
        let isOwn = names(authority, of: scheme, in: bytes)
        // A backend that gets the app's Host takes that for its own authority, whatever it takes for the scheme.
        let isAsked =
            preservesHost && ASCII.equalsIgnoringCase(bytes, ByteRange(lower, authority.end), asked)
        guard isOwn || isAsked else { return .unchanged }
        let reference = ByteRange(authority.end, upper)
        guard !path.isEmpty else { return .url(reference) }
        return belowPath(reference, in: bytes).map { .url($0) } ?? .unchanged
    }

    private func names(_ authority: Authority, of scheme: Scheme, in bytes: Span<UInt8>) -> Bool {
        guard scheme == self.scheme, authority.port ?? scheme.defaultPort == port else { return false }
        return TargetHost(authority.host, in: bytes).withBare(in: bytes) { name in
            ASCII.equalsIgnoringCase(name, ByteRange(0, name.count), host)
        }
    }

    /// The part of a path with query and fragment that follows the upstream's path; nil if it is not below that.
    ///
    /// A path with a dot segment counts as not below it, because the app may resolve the segment.
    private func belowPath(_ reference: ByteRange, in bytes: Span<UInt8>) -> ByteRange? {
        let (lower, upper) = (reference.lowerBound, reference.upperBound)
        let rest = lower + path.count
        guard rest <= upper, ASCII.equals(bytes, ByteRange(lower, rest), path) else { return nil }
        guard rest == upper || Self.endsSegment(bytes[rest]) else { return nil }
        var end = rest
        while end < upper, bytes[end] != UInt8(ascii: "?"), bytes[end] != UInt8(ascii: "#") { end += 1 }
        guard !PathPattern.hasDotSegment(ByteRange(rest, end), in: bytes) else { return nil }
        return ByteRange(rest, upper)
    }

    private static func endsSegment(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: "/") || byte == UInt8(ascii: "?") || byte == UInt8(ascii: "#")
    }
}
