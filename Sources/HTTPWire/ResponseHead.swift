/// The head of a response as it came, held to the same strictness as a request's.
///
/// A value of offsets only; the ranges refer to the bytes that were parsed, which the owner keeps beside it.
package struct ResponseHead: Sendable {
    /// Bytes of the head with the empty line after it: the body, or the next response, begins here.
    package private(set) var byteCount = 0
    package private(set) var version: HTTPVersion
    /// 100 to 599.
    package private(set) var status: Int
    /// May be empty.
    package private(set) var reason: ByteRange
    package private(set) var fields = FieldLines()
    /// Decided with the request's method (RFC 9112 section 6.3): a HEAD, 1xx, 204 or 304 has no body, whatever its
    /// fields say, and neither has the answer that opens a tunnel.
    package private(set) var framing = BodyFraming.none
    package private(set) var connection: ConnectionOptions = []
    /// Whether the connection can carry another exchange after this response.
    package private(set) var isPersistent = false
    /// Seconds, from the timeout parameter of Keep-Alive; nil if absent or unreadable.
    package private(set) var keepAliveTimeout: Int?

    /// Parses the head at the beginning of the bytes; nil if it goes on after them.
    package static func parse(
        _ bytes: Span<UInt8>, answering method: Method, limits: HeadLimits
    ) throws(MessageError) -> ResponseHead? {
        let window = HeadWindow(bytes, limits)
        guard let line = try StatusLine.parse(bytes, upTo: window.end) else {
            try window.requireMore(orThrow: .headTooLarge)
            return nil
        }
        var head = ResponseHead(line)
        var facts = FieldFacts()
        guard
            let end = try FieldSection.parse(
                bytes, at: line.end, upTo: window.end, atMost: limits.fieldCount, into: &head.fields,
                noting: &facts)
        else {
            try window.requireMore(orThrow: .headTooLarge)
            return nil
        }
        head.byteCount = end
        try head.interpret(facts, bytes, answering: method)
        return head
    }

    /// The head as far as the status line tells.
    private init(_ line: StatusLine) {
        version = line.version
        status = line.status
        reason = line.reason
    }

    private mutating func interpret(
        _ facts: FieldFacts, _ bytes: Span<UInt8>, answering method: Method
    ) throws(MessageError) {
        // Read even where no body can follow: fields that contradict each other are a reason to trust nothing.
        framing = Self.framing(try TransferFields(bytes, facts, version), status, method)
        connection = facts.connection
        isPersistent = connection.isPersistent(in: version) && framing != .untilClose
        if let value = facts.keepAlive { keepAliveTimeout = KeepAliveParameters.timeout(bytes, value) }
    }

    private static func framing(_ transfer: TransferFields, _ status: Int, _ method: Method) -> BodyFraming {
        switch status {
        case 100...199, 204, 304: return .none
        case 200...299 where method == .connect: return .none
        default: break
        }
        if method == .head { return .none }
        switch transfer {
        case .absent: return .untilClose
        case .length(let count): return .length(count)
        case .chunked: return .chunked
        }
    }
}
