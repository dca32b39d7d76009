@testable import HTTPWire

/// Everything that a parsed response head says, without offsets, so that two of them can be compared.
struct ParsedResponse: Equatable {
    var version: HTTPVersion
    var status: Int
    var reason: String
    var lines: [[String]]
    var framing: BodyFraming
    var connection: ConnectionOptions
    var isPersistent: Bool
    var keepAliveTimeout: Int?
    /// The field lines as they are written to an app.
    var written: [UInt8]

    static func parse(_ bytes: [UInt8], _ method: Method, _ limits: HeadLimits) -> Verdict<ParsedResponse> {
        do throws(MessageError) {
            guard let head = try ResponseHead.parse(bytes.span, answering: method, limits: limits) else {
                return .needsMore
            }
            return .accepted(ParsedResponse(head, in: bytes), byteCount: head.byteCount)
        } catch {
            return .refused(error)
        }
    }

    init(_ head: borrowing ResponseHead, in bytes: [UInt8]) {
        version = head.version
        status = head.status
        reason = bytes.text(head.reason)
        lines = []
        var buffer = OutputBuffer()
        for index in 0..<head.fields.count {
            let line = head.fields[index]
            lines.append([bytes.text(line.name), bytes.text(line.value)])
            buffer.append(line, of: bytes.span)
        }
        framing = head.framing
        connection = head.connection
        isPersistent = head.isPersistent
        keepAliveTimeout = head.keepAliveTimeout
        written = buffer.withSpan { span in
            var bytes: [UInt8] = []
            bytes.append(copying: span)
            return bytes
        }
    }

    /// Requires that the head, written as the proxy writes, is read as the same head.
    func requireSameAnew(answering method: Method, _ limits: HeadLimits) {
        let line = "HTTP/1.\(version == .http11 ? 1 : 0) \(status) \(reason)\r\n".unicodeScalars.map { UInt8($0.value) }
        let bytes = line + written + [13, 10]
        // A space behind each colon may lift it over the limit.
        guard bytes.count < limits.headBytes else { return }
        let again = Self.parse(bytes, method, limits)
        require(again == .accepted(self, byteCount: bytes.count), "a head written anew is another: \(again)")
    }

    /// Requires RFC 9112 sections 4 to 6 of a head that was accepted.
    func requireGrammar(of bytes: [UInt8], answering method: Method, _ limits: HeadLimits) {
        require(!bytes.starts(with: [13, 10]), "an empty line before a status line")
        let text = HeadText(bytes)
        let line = text.startLine
        let start = "HTTP/1.\(version == .http11 ? 1 : 0) \(status)"
        require(line == start || line == "\(start) \(reason)", "the status line is another")
        require((100...599).contains(status), "a status of \(status)")
        require(text.fields.count <= limits.fieldCount, "more fields than the limit")
        require(lines == text.fields.map { [$0.name, $0.value] }, "the fields are others")
        text.requireClearFraming(isHTTP11: version == .http11)
        let hasNone =
            status < 200 || status == 204 || status == 304 || method == .head
            || (method == .connect && status < 300)
        let expected: BodyFraming =
            if hasNone {
                .none
            } else if !text.values("transfer-encoding").isEmpty {
                .chunked
            } else if let length = text.values("content-length").first {
                UInt64(length).map { .length($0) } ?? .none
            } else {
                .untilClose
            }
        require(framing == expected, "the framing is \(framing), not \(expected)")
        require(framing != .untilClose || !isPersistent, "a connection is kept after a body that its end ends")
        if let keepAliveTimeout { require(keepAliveTimeout >= 0, "a negative timeout") }
    }
}
