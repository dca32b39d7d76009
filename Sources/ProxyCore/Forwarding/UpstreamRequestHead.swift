package import HTTPWire

/// A request head for a backend: its end-to-end part, and room for the credential that each sending attaches anew.
///
/// The part that is kept holds the request line in origin-form, `Host` of the upstream, the app's end-to-end fields, the
/// framing and `Via`. It lacks the empty line, so that it cannot go anywhere without passing through `append`.
package struct UpstreamRequestHead: ~Copyable {
    let endToEnd: OutputBuffer
    /// Where the method and the target stand in it.
    let method: ByteRange
    let target: ByteRange
    /// Whether the app sent a credential of its own that the route keeps.
    package let carriesOwnCredential: Bool
    /// Whether the app sent several lines that say who asks: a backend may go by any of them.
    package let isAmbiguous: Bool
    /// Whether the app's own `Authorization` is in it and authenticates the connection, not only this request.
    package let authenticatesConnection: Bool

    /// What decides how a head is rewritten, beside the head itself; made once a destination.
    package final class Rules: Sendable {
        package let host: HostLine
        /// The field that the credential will be written to; nil when the route attaches none.
        package let credentialName: [UInt8]?
        package let keepsAuthorization: Bool
        /// The fields that only say which token is meant, in lower case; they end here.
        private let parameterNames: [[UInt8]]
        /// Whether a proof is written beside the credential, and the app's own has no place.
        package let provesPossession: Bool

        /// The same unless it is `Authorization`, which the parser has recognised already.
        fileprivate let unusualName: [UInt8]?

        package init(
            host: HostLine, credentialName: [UInt8]?, keepsAuthorization: Bool, provesPossession: Bool = false,
            parameterNames: [[UInt8]] = []
        ) {
            self.provesPossession = provesPossession
            self.host = host
            self.parameterNames = parameterNames
            self.credentialName = credentialName
            self.keepsAuthorization = keepsAuthorization
            unusualName = credentialName == Array("authorization".utf8) ? nil : credentialName
        }

        fileprivate func consumes(_ field: FieldLine, in bytes: Span<UInt8>) -> Bool {
            for name in parameterNames where ASCII.equalsIgnoringCase(bytes, field.name, name) { return true }
            return false
        }

        /// Whether a backend may take the field for the credential's, where that is not `Authorization`.
        fileprivate func isTakenForCredential(_ field: FieldLine, in bytes: Span<UInt8>) -> Bool {
            guard let unusualName else { return false }
            return ASCII.isSameVariable(bytes, field.name, unusualName)
        }

        /// Whether the app's own field of that kind stays; another spelling (`X_Api_Key`) never does.
        fileprivate func keeps(_ field: FieldLine, in bytes: Span<UInt8>) -> Bool {
            guard keepsAuthorization, let unusualName else { return false }
            return ASCII.equalsIgnoringCase(bytes, field.name, unusualName)
        }
    }

    /// Writes the head into `buffer`, whose content is replaced and whose capacity is used.
    ///
    /// Dropped are the hop-by-hop fields and every field that `Connection` names (RFC 9110 section 7.6.1), `Host`, the
    /// framing fields (both are written again from what the parser understood), and the app's own credential.
    package init(
        _ head: borrowing RequestHead, in bytes: Span<UInt8>, rules: Rules,
        into buffer: consuming OutputBuffer
    ) {
        var out = buffer
        out.removeAll()
        out.append(copying: bytes, head.methodName)
        method = ByteRange(0, out.count)
        out.append(UInt8(ascii: " "))
        let targetStart = out.count
        Self.appendTarget(head.target, isOptions: head.method == .options, in: bytes, to: &out)
        target = ByteRange(targetStart, out.count)
        let hostLine = rules.host.bytes
        out.append(copying: hostLine.span)

        var ownCredentials = 0
        var authenticatesConnection = false
        let named = head.connection.contains(.namesFields) ? ConnectionNames(bytes, head.fields) : ConnectionNames()
        var run = FieldRun()
        for index in 0..<head.fields.count {
            let field = head.fields[index]
            if named.names(field.name, in: bytes) { continue }
            if rules.consumes(field, in: bytes) { continue }
            switch field.known {
            case .host, .contentLength, .transferEncoding: continue
            case .authorization:
                if rules.credentialName != nil, !rules.keepsAuthorization { continue }
                ownCredentials += 1
                if ConnectionAuthentication.isUsed(field.value, in: bytes) { authenticatesConnection = true }
            case .maxForwards:
                if let hops = MaxForwards.of(head, in: bytes) {
                    run.end(in: bytes, to: &out)
                    out.append(text: "Max-Forwards: ")
                    out.append(decimal: hops - 1)
                    out.append(text: "\r\n")
                    continue
                }
            case .expect:
                // Nobody waits for a 100 who cannot take one or has no body to send; any other expectation is the
                // backend's to meet or to refuse with 417 (RFC 9110 section 10.1.1).
                let asksToContinue = ASCII.equalsIgnoringCase(bytes, field.value, "100-continue")
                if head.version == .http10 || asksToContinue && !head.expectsContinue { continue }
            case let known:
                if known.isHopByHop { continue }
            }
            if rules.provesPossession, ASCII.equalsIgnoringCase(bytes, field.name, "dpop") { continue }
            if rules.isTakenForCredential(field, in: bytes) {
                guard rules.keeps(field, in: bytes) else { continue }
                ownCredentials += 1
            }
            run.append(field, of: bytes, to: &out)
        }
        run.end(in: bytes, to: &out)
        Self.appendFraming(head.framing, to: &out)
        out.append(text: head.version == .http11 ? "Via: 1.1 attache\r\n" : "Via: 1.0 attache\r\n")
        endToEnd = out
        carriesOwnCredential = rules.credentialName != nil && ownCredentials > 0
        isAmbiguous = ownCredentials > 1
        self.authenticatesConnection = authenticatesConnection
    }

    /// A head of no request, with memory for one.
    package init() {
        endToEnd = OutputBuffer()
        method = ByteRange(0, 0)
        target = ByteRange(0, 0)
        carriesOwnCredential = false
        isAmbiguous = false
        authenticatesConnection = false
    }

    /// Gives the memory up, for the head of another request.
    package consuming func takeBuffer() -> OutputBuffer { endToEnd }

    /// Appends the whole head to `out`, with the credential last, so that nothing the app sent can name, delete or shadow it.
    ///
    /// - Parameters:
    ///   - credential: The line of the credential.
    ///   - proof: What shows that the token is ours, if it is bound to a key (DPoP, RFC 9449).
    ///   - out: What is sent.
    package func append(with credential: AuthorizationLine, proof: String? = nil, to out: inout OutputBuffer) {
        out.append(copying: endToEnd)
        credential.append(proof: proof, to: &out)
    }

    /// Appends the whole head of a request that gets no credential to `out`.
    package func appendWithoutCredential(to out: inout OutputBuffer) {
        out.append(copying: endToEnd)
        out.appendCRLF()
    }

    private static func appendTarget(
        _ target: RequestTarget, isOptions: Bool, in bytes: Span<UInt8>, to out: inout OutputBuffer
    ) {
        switch target {
        case .origin(let path): out.append(copying: bytes, path)
        case .absolute(_, _, _, let path) where path.isEmpty && isOptions:
            // Without a path OPTIONS asks about the server as a whole (RFC 9112 section 3.2.4).
            out.append(UInt8(ascii: "*"))
        case .absolute(_, _, _, let path):
            // An empty path is "/" (RFC 9112 section 3.2.1), also before a query.
            if path.isEmpty || bytes[path.lowerBound] != UInt8(ascii: "/") { out.append(UInt8(ascii: "/")) }
            out.append(copying: bytes, path)
        case .asterisk: out.append(UInt8(ascii: "*"))
        case .authority: preconditionFailure("a CONNECT is never forwarded as a request")
        }
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
