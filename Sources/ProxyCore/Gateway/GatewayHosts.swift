package import HTTPWire

/// The names by which requests may address a gateway or the admin listener.
///
/// A web page can make a browser on this machine send requests to a listener on loopback. It can also give its own
/// name the address of this machine (DNS rebinding), and then read the responses. So a name must be known, and the
/// page that sends a request must come from the listener itself, from a known name or, where all apps of this machine
/// are welcome, from this machine.
package struct GatewayHosts: Sendable {
    /// In lower case, IPv6 addresses without brackets.
    private let names: [[UInt8]]
    private let takesLocalPages: Bool

    /// - Parameters:
    ///   - names: The known names, beside `localhost` and all IP addresses.
    ///   - takesLocalPages: Whether pages of any other server on this machine may send requests.
    package init(_ names: [String] = [], takesLocalPages: Bool = true) {
        self.names = names.map { Array($0.utf8) }
        self.takesLocalPages = takesLocalPages
    }

    package enum Refusal: Equatable, Error {
        /// The request is for another host.
        case host
        /// A page of another site sent the request.
        case origin
        /// A page without a site of its own sent the request: `Origin: null` (RFC 6454 section 7.1).
        case opaqueOrigin
    }

    /// Checks the authority that a request names, and the page that it comes from.
    ///
    /// A request without `Host`, which no browser sends, passes.
    package func check(_ head: borrowing RequestHead, in bytes: Span<UInt8>) throws(Refusal) {
        let authority = head.namedAuthority()
        if !authority.isEmpty {
            // The parser of the head has found it valid.
            guard let parsed = try? Authority(bytes, from: authority.lowerBound, to: authority.upperBound),
                takes(parsed.host, in: bytes, isOrigin: false)
            else { throw .host }
        }
        try checkOrigin(head, asked: authority, in: bytes)
    }

    /// A browser adds `Origin` to every request that changes something, and `Sec-Fetch-Site` to all to a loopback address
    /// or `localhost`.
    private func checkOrigin(
        _ head: borrowing RequestHead, asked: ByteRange, in bytes: Span<UInt8>
    ) throws(Refusal) {
        var hasOrigin = false
        var isForeign = false
        var isSibling = false
        for index in 0..<head.fields.count {
            let field = head.fields[index]
            if ASCII.equalsIgnoringCase(bytes, field.name, "origin") {
                hasOrigin = true
                if ASCII.equals(bytes, field.value, "null") { throw .opaqueOrigin }
                guard takes(origin: field.value, asked: asked, in: bytes) else { throw .origin }
            } else if ASCII.equalsIgnoringCase(bytes, field.name, "sec-fetch-site") {
                isForeign = isForeign || ASCII.equalsIgnoringCase(bytes, field.value, "cross-site")
                isSibling = isSibling || ASCII.equalsIgnoringCase(bytes, field.value, "same-site")
            }
        }
        guard !hasOrigin else { return }
        // A page of the same site is on another port or host. The site of an IP address or of `localhost` is on one
        // machine. Pages of another name's site may be on any machine.
        let isWelcomeSibling = takesLocalPages && isOfOneMachine(asked, in: bytes)
        if isForeign || isSibling && !isWelcomeSibling { throw .origin }
    }

    /// Whether the browser takes only one machine's pages for the site of an authority.
    private func isOfOneMachine(_ asked: ByteRange, in bytes: Span<UInt8>) -> Bool {
        guard let authority = try? Authority(bytes, from: asked.lowerBound, to: asked.upperBound) else { return false }
        return TargetHost(authority.host, in: bytes).withBare(in: bytes) { name in
            let text = Self.text(name)
            return text == "localhost" || text.hasSuffix(".localhost") || (try? Host(text))?.isAddress ?? false
        }
    }

    /// Whether a page's origin (RFC 6454 section 7) is that of the listener, of this machine or of a known name.
    private func takes(origin: ByteRange, asked: ByteRange, in bytes: Span<UInt8>) -> Bool {
        for scheme in ["http://", "https://"] {
            let start = origin.lowerBound + scheme.utf8.count
            guard start < origin.upperBound,
                ASCII.equalsIgnoringCase(bytes, ByteRange(origin.lowerBound, start), scheme)
            else { continue }
            let place = ByteRange(start, origin.upperBound)
            if ASCII.equalsIgnoringCase(bytes, place, asked) { return true }
            guard let authority = try? Authority(bytes, from: start, to: origin.upperBound),
                authority.end == origin.upperBound
            else { return false }
            return takes(authority.host, in: bytes, isOrigin: true)
        }
        return false
    }

    /// Whether a host is known.
    ///
    /// No page can give itself an address, so every address is a valid `Host`. But a page may come from an address.
    /// The unspecified address reaches this machine too, and browsers do not treat it as loopback.
    private func takes(_ host: ByteRange, in bytes: Span<UInt8>, isOrigin: Bool) -> Bool {
        let host = TargetHost(host, in: bytes)
        let isAddress = if case .address = host { true } else { false }
        return host.withBare(in: bytes) { name in
            let whole = ByteRange(0, name.count)
            if ASCII.equals(name, whole, "0.0.0.0") || ASCII.equals(name, whole, "::") { return false }
            if isAddress, !isOrigin { return true }
            if !isOrigin, HostSyntax.isIPv4(name, 0, name.count) { return true }
            if names.contains(where: { ASCII.equalsIgnoringCase(name, whole, $0) }) { return true }
            if isOrigin, !takesLocalPages { return false }
            if ASCII.equalsIgnoringCase(name, whole, "localhost") { return true }
            let text = Self.text(name)
            return text.hasSuffix(".localhost") || (try? Host(text))?.isLoopback ?? false
        }
    }

    private static func text(_ name: Span<UInt8>) -> String {
        var lower: [UInt8] = []
        for index in name.indices { lower.append(ASCII.lowercased(name[index])) }
        return String(decoding: lower, as: UTF8.self)
    }
}
