package import HTTPWire
import TokenManager

/// A request head for a backend: its end-to-end part, to which each sending adds the credential.
///
/// The kept part holds the request line in origin-form, or in absolute-form for a parent proxy. `Host` of the upstream,
/// the app's end-to-end fields, the framing and `Via` follow. It lacks the final empty line, so that it cannot be sent
/// without a call of `append`.
package struct UpstreamRequestHead: ~Copyable {
    let endToEnd: OutputBuffer
    /// The positions of the method and the target in the kept part.
    let method: ByteRange
    let target: ByteRange
    /// Whether none of what follows is the case.
    package let isOrdinary: Bool
    /// Whether the app sent its own credential and the route keeps it.
    package let carriesOwnCredential: Bool
    /// Whether the app sent several lines with a credential; a backend may believe any of them.
    package let isAmbiguous: Bool
    /// Whether the head holds the app's own `Authorization`, and that authenticates the whole connection.
    package let authenticatesConnection: Bool
    /// Whether this process has forwarded the request before.
    package let hasComeBack: Bool
    /// Whether the app asked to switch protocols.
    package let hasUpgrade: Bool
    /// Whether the head asks the backend to switch to WebSocket; any other wish of the app is dropped.
    package let asksForWebSocket: Bool

    /// Writes the head into `buffer`, whose content it replaces and whose capacity it uses.
    ///
    /// Drops the hop-by-hop fields and every field that `Connection` names (RFC 9110 section 7.6.1). Drops `Host` and
    /// the framing fields, and writes both again from the parsed values. Drops the app's own credential.
    package init(
        _ head: borrowing RequestHead, in bytes: Span<UInt8>, rules: borrowing Rules,
        into buffer: consuming OutputBuffer
    ) {
        var out = buffer
        out.removeAll()
        out.append(copying: bytes, head.methodName)
        method = ByteRange(0, out.count)
        out.append(UInt8(ascii: " "))
        let targetStart = out.count
        if rules.isDirect {
            Self.appendTarget(head.target, of: head.method, in: bytes, to: &out)
            target = ByteRange(targetStart, out.count)
            out.append(copying: rules.hostLine)
        } else {
            target = Self.appendRewritten(head, in: bytes, by: rules, to: &out)
        }

        let forwarded = Self.appendFields(head, in: bytes, by: rules, to: &out)
        if forwarded.asksForWebSocket { out.append(text: WebSocketUpgrade.lines) }
        Self.appendFraming(head.framing, to: &out)
        // A pattern, here and on the rest of a request's path: `==` of another module's enumeration is a call through
        // its witness table.
        if case .http11 = head.version { out.append(copying: rules.via11) } else { out.append(copying: rules.via10) }
        endToEnd = out
        isOrdinary = forwarded.ownCredentials == 0 && !forwarded.hasComeBack && !forwarded.hasUpgrade
        carriesOwnCredential = rules.hasCredential && forwarded.ownCredentials > 0
        isAmbiguous = forwarded.ownCredentials > 1
        authenticatesConnection = forwarded.authenticatesConnection
        hasComeBack = forwarded.hasComeBack
        hasUpgrade = forwarded.hasUpgrade
        asksForWebSocket = forwarded.asksForWebSocket
    }

    /// What the fields of a request say, besides those that are forwarded.
    private struct ForwardedFields {
        var ownCredentials = 0
        var authenticatesConnection = false
        var hasUpgrade = false
        var asksForWebSocket = false
        var hasComeBack = false
    }

    /// Appends the fields that are forwarded.
    ///
    /// If a request has the same fields as one before, which only these rules and the fields decided, it gets the same
    /// bytes.
    @inline(__always)
    private static func appendFields(
        _ head: borrowing RequestHead, in bytes: Span<UInt8>, by rules: borrowing Rules, to out: inout OutputBuffer
    ) -> ForwardedFields {
        if let number = rules.number, head.fields.appendForwarded(rule: number, to: &out) { return ForwardedFields() }
        return appendUnknownFields(head, in: bytes, by: rules, to: &out)
    }

    @inline(never)
    private static func appendUnknownFields(
        _ head: borrowing RequestHead, in bytes: Span<UInt8>, by rules: borrowing Rules, to out: inout OutputBuffer
    ) -> ForwardedFields {
        var forwarded = ForwardedFields()
        let start = out.count
        let fields = head.fields
        let namesFields = head.connection.contains(.namesFields)
        let named = namesFields ? ConnectionNames(bytes, fields) : ConnectionNames()
        var isRepeatable = true
        var run = FieldRun()
        for index in 0..<fields.count {
            let field = fields[index]
            if namesFields, named.names(field.name, in: bytes) {
                if field.known == .via, rules.via.isNamed(in: field.value, of: bytes) { forwarded.hasComeBack = true }
                continue
            }
            if rules.hasDroppedNames, rules.drops(field, in: bytes) { continue }
            switch field.known {
            case .host, .contentLength, .transferEncoding: continue
            case .upgrade:
                forwarded.hasUpgrade = true
                continue
            case .authorization:
                if rules.hasCredential, !rules.keepsAuthorization { continue }
                forwarded.ownCredentials += 1
                if ConnectionAuthentication.isUsed(field.value, in: bytes) { forwarded.authenticatesConnection = true }
            case .maxForwards:
                // The method decides, too.
                isRepeatable = false
                if let hops = MaxForwards.of(head, in: bytes) {
                    run.end(in: bytes, to: &out)
                    out.append(text: "Max-Forwards: ")
                    out.append(decimal: hops - 1)
                    out.append(text: "\r\n")
                    continue
                }
            case .via: if rules.via.isNamed(in: field.value, of: bytes) { forwarded.hasComeBack = true }
            case .expect:
                // The version and the framing decide, too. Drop a 100-continue of a client that cannot take a 100 or has
                // no body to send. Any other expectation is for the backend to meet or to refuse with 417 (RFC 9110
                // section 10.1.1).
                isRepeatable = false
                let asksToContinue = ASCII.equalsIgnoringCase(bytes, field.value, "100-continue")
                if head.version == .http10 || asksToContinue && !head.expectsContinue { continue }
            case let known:
                if known.isHopByHop { continue }
            }
            if rules.provesPossession, ASCII.equalsIgnoringCase(bytes, field.name, "dpop") { continue }
            if rules.isTakenForCredential(field, in: bytes) {
                guard rules.keeps(field, in: bytes) else { continue }
                forwarded.ownCredentials += 1
            }
            run.append(field, of: bytes, to: &out)
        }
        run.end(in: bytes, to: &out)
        forwarded.asksForWebSocket = forwarded.hasUpgrade && WebSocketUpgrade.isAsked(by: head, in: bytes)
        if isRepeatable, forwarded.ownCredentials == 0, !forwarded.hasUpgrade, !forwarded.hasComeBack,
            let number = rules.number
        {
            fields.noteForwarded(rule: number, out, from: start)
        }
        return forwarded
    }

    /// An empty head.
    package init() {
        endToEnd = OutputBuffer()
        method = ByteRange(0, 0)
        target = ByteRange(0, 0)
        isOrdinary = true
        carriesOwnCredential = false
        isAmbiguous = false
        authenticatesConnection = false
        hasComeBack = false
        hasUpgrade = false
        asksForWebSocket = false
    }

    /// Hands over the memory for another request's head.
    package consuming func takeBuffer() -> OutputBuffer { endToEnd }

    /// Appends the whole head to `out`, with the credential last, so that no field from the app can name, delete or
    /// shadow it.
    ///
    /// - Parameters:
    ///   - credential: The line of the credential.
    ///   - proof: The proof of possession, if the token is bound to a key (DPoP, RFC 9449).
    ///   - out: The buffer to send.
    package func append(with credential: AuthorizationLine, proof: String? = nil, to out: inout OutputBuffer) {
        out.append(copying: endToEnd)
        credential.append(proof: proof, to: &out)
    }

    /// Appends the whole head of a request without a credential to `out`.
    package func appendWithoutCredential(to out: inout OutputBuffer) {
        out.append(copying: endToEnd)
        out.appendCRLF()
    }

    private static func appendTarget(
        _ target: RequestTarget, of method: Method, in bytes: Span<UInt8>, to out: inout OutputBuffer
    ) {
        switch target {
        case .origin(let path): out.append(copying: bytes, path)
        case .absolute(_, _, _, let path) where path.isEmpty && method == .options:
            // An OPTIONS without a path asks about the server as a whole (RFC 9112 section 3.2.4).
            out.append(UInt8(ascii: "*"))
        case .absolute(_, _, _, let path):
            // An empty path means "/" (RFC 9112 section 3.2.1), also before a query.
            if path.isEmpty || bytes[path.lowerBound] != UInt8(ascii: "/") { out.append(UInt8(ascii: "/")) }
            out.append(copying: bytes, path)
        case .asterisk: out.append(UInt8(ascii: "*"))
        case .authority: preconditionFailure("a CONNECT is never forwarded as a request")
        }
    }

    /// Appends the target below the route's path, and the `Host` line.
    ///
    /// - Returns: The range of the target.
    @inline(never)
    private static func appendRewritten(
        _ head: borrowing RequestHead, in bytes: Span<UInt8>, by rules: borrowing Rules, to out: inout OutputBuffer
    ) -> ByteRange {
        let (path, hostLine) = (rules.path, rules.host.bytes)
        // An OPTIONS about the server has no path in absolute-form (RFC 9112 section 3.2.4).
        let hasTarget = rules.parent == nil || !head.asksAboutServer
        if rules.parent != nil { appendOrigin(rules.host, to: &out) }
        let start = out.count
        if !head.asksAboutServer { out.append(copying: path.span) }
        if hasTarget { appendTarget(head.target, of: head.method, in: bytes, to: &out) }
        let target = ByteRange(start, out.count)
        let authority = head.namedAuthority()
        if rules.preservesHost, !authority.isEmpty {
            out.append(text: HostLine.start)
            out.append(copying: bytes, authority)
            out.appendCRLF()
        } else {
            out.append(copying: hostLine.span)
        }
        if let parent = rules.parent {
            let authorization = parent.line
            out.append(copying: authorization.span)
        }
        return target
    }

    /// Appends the beginning of an absolute-form (RFC 9112 section 3.2.2).
    private static func appendOrigin(_ host: HostLine, to out: inout OutputBuffer) {
        let bytes = host.bytes
        out.append(text: "http://")
        out.append(copying: bytes.span.extracting(HostLine.start.utf8CodeUnitCount..<bytes.count - 2))
    }

    private static func appendFraming(_ framing: BodyFraming, to out: inout OutputBuffer) {
        switch framing {
        case .length(let count):
            out.append(text: "Content-Length: ")
            out.append(decimal: count)
            out.append(text: "\r\n")
        case .chunked: out.append(text: "Transfer-Encoding: chunked\r\n")
        case .none: break
        case .untilClose: preconditionFailure("a request body never ends by close")
        }
    }
}

/// The proof of possession for a token that is bound to a key (DPoP, RFC 9449).
extension UpstreamRequestHead {
    /// Makes a new proof for one sending of the head.
    ///
    /// - Parameters:
    ///   - credential: The credential that is sent with the head.
    ///   - scheme: The scheme of the backend that the head is sent to; the head has its authority.
    ///   - nonce: The newest nonce from the backend.
    ///   - unixTime: The time in seconds since 1970.
    /// - Returns: The value of the field `DPoP`; nil if the token is bound to no key.
    package func proof(
        for credential: AuthorizationLine, to scheme: Scheme, nonce: String?, unixTime: Double
    ) -> String? {
        guard let binding = credential.binding else { return nil }
        return binding.proof(method: text(method), uri: uri(scheme), nonce: nonce, unixTime: unixTime)
    }

    /// The URI of the target, made in one buffer, because each proof needs it.
    private func uri(_ scheme: Scheme) -> String {
        endToEnd.withSpan { bytes in
            let authorityStart = target.upperBound + HostLine.start.utf8CodeUnitCount
            var authorityEnd = authorityStart
            while bytes[authorityEnd] != ASCII.carriageReturn { authorityEnd += 1 }
            var uri: [UInt8] = []
            uri.reserveCapacity(scheme.rawValue.utf8.count + 3 + authorityEnd - authorityStart + target.count)
            uri.append(contentsOf: scheme.rawValue.utf8)
            uri.append(contentsOf: "://".utf8)
            uri.append(copying: bytes, ByteRange(authorityStart, authorityEnd))
            // A request for the server as a whole has a URI without a path (RFC 9110 section 7.1).
            if !ASCII.equals(bytes, target, "*") { uri.append(copying: bytes, target) }
            return String(decoding: uri, as: UTF8.self)
        }
    }

    private func text(_ range: ByteRange) -> String {
        endToEnd.withSpan { bytes in
            var copy: [UInt8] = []
            copy.append(copying: bytes, range)
            return String(decoding: copy, as: UTF8.self)
        }
    }
}
