package import HTTPWire

/// A response head as the app gets it, with a framing that the app understands.
package struct DownstreamResponseHead {
    /// How the body to the app is framed.
    package let framing: BodyFraming
    /// Whether the app's connection may stay open after this response.
    package let isPersistent: Bool

    /// The facts about the request that decide how its response is written.
    package struct Request {
        package let version: HTTPVersion
        package let isPersistent: Bool
        /// Whether the whole request had been read when the response head arrived.
        package let isComplete: Bool

        package init(version: HTTPVersion, isPersistent: Bool, isComplete: Bool) {
            self.version = version
            self.isPersistent = isPersistent
            self.isComplete = isComplete
        }
    }

    /// Appends the head to `out`: end-to-end fields, `Via`, framing, `Connection`, empty line.
    ///
    /// A body that the backend ends by closing is chunked for a 1.1 client, which can then tell a complete body from
    /// a cut one (RFC 9112 section 8); a 1.0 client gets it until close. A response that arrives before its request
    /// was read to the end closes the connection, because the rest of the body must never be read as a request.
    ///
    /// A `mapping` changes the URLs of an upstream that the app reaches by other URLs.
    package init(
        _ head: borrowing ResponseHead, in bytes: Span<UInt8>, answering request: Request, draining: Bool,
        mapping: URLMapping? = nil, to out: inout OutputBuffer
    ) {
        switch head.framing {
        case .chunked, .untilClose: framing = request.version == .http11 ? .chunked : .untilClose
        case .none, .length: framing = head.framing
        }
        isPersistent = request.isPersistent && request.isComplete && !draining && !framing.isUntilClose

        Self.appendStatusLine(head, in: bytes, to: &out)
        Self.appendFields(head, in: bytes, mapping: mapping, to: &out)
        switch framing {
        case .chunked: out.append(text: "Transfer-Encoding: chunked\r\n")
        case .length(let count):
            out.append(text: "Content-Length: ")
            out.append(decimal: count)
            out.append(text: "\r\n")
        case .none, .untilClose: break
        }
        if !isPersistent {
            out.append(text: "Connection: close\r\n")
        } else if case .http10 = request.version {
            out.append(text: "Connection: keep-alive\r\n")
        }
        out.append(text: "\r\n")
    }

    /// Appends an interim (1xx) head, which says nothing about framing or the connection.
    package static func appendInterim(_ head: borrowing ResponseHead, in bytes: Span<UInt8>, to out: inout OutputBuffer)
    {
        appendStatusLine(head, in: bytes, to: &out)
        appendFields(head, in: bytes, mapping: nil, to: &out)
        out.append(text: "\r\n")
    }

    /// Whether a 101 switches to WebSocket.
    package static func switchesToWebSocket(_ head: borrowing ResponseHead, in bytes: Span<UInt8>) -> Bool {
        WebSocketUpgrade.isAgreed(to: head, in: bytes)
    }

    /// Appends the head of a 101, after which both sides speak WebSocket; a gateway's `mapping` is for its cookies.
    package static func appendSwitch(
        _ head: borrowing ResponseHead, in bytes: Span<UInt8>, mapping: URLMapping?, to out: inout OutputBuffer
    ) {
        appendStatusLine(head, in: bytes, to: &out)
        appendFields(head, in: bytes, mapping: mapping, to: &out)
        out.append(text: WebSocketUpgrade.lines)
        out.append(text: "\r\n")
    }

    private static func mayStateLength(_ status: Int) -> Bool { status >= 200 && status != 204 }

    private static func appendStatusLine(
        _ head: borrowing ResponseHead, in bytes: Span<UInt8>, to out: inout OutputBuffer
    ) {
        if let line = head.canonicalStatusLine { return out.append(copying: bytes, line) }
        out.append(text: "HTTP/1.1 ")
        out.append(threeDigits: head.status)
        out.append(UInt8(ascii: " "))
        out.append(copying: bytes, head.reason)
        out.appendCRLF()
    }

    private static func appendFields(
        _ head: borrowing ResponseHead, in bytes: Span<UInt8>, mapping: URLMapping?, to out: inout OutputBuffer
    ) {
        let fields = head.fields
        // A Content-Length is kept if it says how long the body would be, for HEAD and 304; never in 1xx and 204. In every
        // other case the framing writes it from the parsed length (RFC 9110 section 8.6).
        let keepsLength = head.framing.isNone && mayStateLength(head.status)
        let is11 = if case .http11 = head.version { true } else { false }
        // What decides, besides the fields, how they are written below. A mapping decides more, and a 426 keeps `Upgrade`.
        let rule = (keepsLength ? 1 : 0) + (is11 ? 2 : 0)
        let isRepeatable = mapping == nil && head.status != 426
        if isRepeatable, fields.appendForwarded(rule: rule, to: &out) { return }
        let start = out.count
        let namesFields = head.connection.contains(.namesFields)
        let named = namesFields ? ConnectionNames(bytes, fields) : ConnectionNames()
        var hasProxyStatus = false
        var run = FieldRun()
        for index in 0..<fields.count {
            let field = fields[index]
            switch field.known {
            case .proxyStatus:
                // Written after the other fields, as one line without the members that Attaché drops.
                if namesFields, named.names(field.name, in: bytes) { continue }
                hasProxyStatus = true
                continue
            case .contentLength:
                if !keepsLength { continue }
            case .transferEncoding: continue
            case .upgrade:
                if head.status == 426 { appendRequiredUpgrade(field, in: bytes, after: &run, to: &out) }
                continue
            case .location, .contentLocation, .setCookie:
                guard let mapping else { break }
                if namesFields, named.names(field.name, in: bytes) { continue }
                run.end(in: bytes, to: &out)
                mapping.append(field, of: bytes, to: &out)
                continue
            case let known:
                if known.isHopByHop { continue }
            }
            if namesFields, named.names(field.name, in: bytes) { continue }
            run.append(field, of: bytes, to: &out)
        }
        run.end(in: bytes, to: &out)
        if hasProxyStatus { ForwardedProxyStatus.append(head, in: bytes, to: &out) }
        out.append(text: is11 ? "Via: 1.1 attache\r\n" : "Via: 1.0 attache\r\n")
        // Of `Proxy-Status`, the status decides too.
        if isRepeatable, !hasProxyStatus { fields.noteForwarded(rule: rule, out, from: start) }
    }

    /// Appends what a 426 tells the app to ask for (RFC 9110 section 15.5.22), if it can be had.
    @inline(never)
    private static func appendRequiredUpgrade(
        _ field: FieldLine, in bytes: Span<UInt8>, after run: inout FieldRun, to out: inout OutputBuffer
    ) {
        guard WebSocketUpgrade.isNamed(in: field.value, bytes) else { return }
        run.end(in: bytes, to: &out)
        out.append(text: WebSocketUpgrade.lines)
    }
}

/// NTLM and Negotiate, which authenticate a connection: later requests on it may act for the same user without a
/// credential.
///
/// A connection to a backend that carried one of them serves no other app (RFC 4559 section 6).
package enum ConnectionAuthentication {
    /// Whether a value of `Authorization` uses such a scheme.
    static func isUsed(_ value: ByteRange, in bytes: Span<UInt8>) -> Bool {
        let scheme = ChallengeParameter.token(at: value.lowerBound, before: value.upperBound, in: bytes)
        return ASCII.equalsIgnoringCase(bytes, scheme, "negotiate") || ASCII.equalsIgnoringCase(bytes, scheme, "ntlm")
    }

    /// Whether a response offers or continues such a scheme.
    package static func isOffered(_ head: borrowing ResponseHead, in bytes: Span<UInt8>) -> Bool {
        guard head.fields.contains(.wwwAuthenticate) else { return false }
        for index in 0..<head.fields.count where head.fields[index].known == .wwwAuthenticate {
            var elements = ChallengeElements(head.fields[index].value)
            while let element = elements.next(in: bytes) {
                if isUsed(element, in: bytes) { return true }
            }
        }
        return false
    }
}
