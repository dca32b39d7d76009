/// The head of a request as it came, with one clear meaning: what has two is refused, never repaired.
///
/// A value of offsets only; the ranges refer to the bytes that were parsed, which the owner keeps beside it.
package struct RequestHead: Sendable {
    /// Bytes of the head with a skipped empty line before it and the empty line after it: the body begins here.
    package private(set) var byteCount = 0
    package private(set) var method: Method
    package private(set) var methodName: ByteRange
    package private(set) var target: RequestTarget
    package private(set) var targetText: ByteRange
    package private(set) var version: HTTPVersion
    package private(set) var fields = FieldLines()
    /// `none`, `length` or `chunked`.
    package private(set) var framing = BodyFraming.none
    package private(set) var connection: ConnectionOptions = []
    /// The client waits for a 100 before it sends its body (RFC 9110 section 10.1.1).
    ///
    /// Never in HTTP/1.0, and never where no body follows: there is nothing to wait for.
    package private(set) var expectsContinue = false
    /// Whether the client may send another request after this one.
    package private(set) var isPersistent = false

    /// Parses the head at the beginning of the bytes; nil if it goes on after them.
    ///
    /// A refusal does not wait for the end of the head: what is wrong, too long or too much is said when it is seen.
    package static func parse(
        _ bytes: Span<UInt8>, limits: HeadLimits
    ) throws(MessageError) -> RequestHead? {
        let window = HeadWindow(bytes, limits)
        guard let line = try RequestLine.parse(bytes, upTo: window.end) else {
            try window.requireMore(orThrow: .targetTooLong)
            return nil
        }
        var head = try RequestHead(bytes, line)
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
        try head.interpret(facts, bytes)
        return head
    }

    /// The head as far as the request line tells.
    private init(_ bytes: Span<UInt8>, _ line: RequestLine) throws(MessageError) {
        let method = Method(bytes, line.method)
        self.method = method
        methodName = line.method
        target = try RequestTarget(bytes, line.target, for: method)
        targetText = line.target
        version = line.version
    }

    private mutating func interpret(_ facts: FieldFacts, _ bytes: Span<UInt8>) throws(MessageError) {
        try Self.checkHost(bytes, facts, version)
        framing = try Self.framing(try TransferFields(bytes, facts, version), method)
        connection = facts.connection
        isPersistent = connection.isPersistent(in: version)
        let hasBody = framing != .none && framing != .length(0)
        guard hasBody, version == .http11, let expectation = facts.expect else { return }
        expectsContinue = ASCII.equalsIgnoringCase(bytes, expectation, "100-continue")
    }

    private static func framing(
        _ transfer: TransferFields, _ method: Method
    ) throws(MessageError) -> BodyFraming {
        let framing: BodyFraming =
            switch transfer {
            case .absent: .none
            case .length(let count): .length(count)
            case .chunked: .chunked
            }
        guard method == .connect else { return framing }
        // What follows a CONNECT is the tunnel's (RFC 9110 section 9.3.6); content there would have two readings.
        guard framing == .none || framing == .length(0) else { throw .contentInConnect }
        return .none
    }

    /// RFC 9112 section 3.2: one Host in 1.1, at most one in 1.0, valid or empty.
    private static func checkHost(
        _ bytes: Span<UInt8>, _ facts: FieldFacts, _ version: HTTPVersion
    ) throws(MessageError) {
        guard !facts.isHostRepeated else { throw .repeatedHost }
        guard let host = facts.host else {
            if version == .http11 { throw .missingHost }
            return
        }
        guard !host.isEmpty else { return }
        do {
            _ = try Authority(bytes, host)
        } catch {
            throw .malformedHostField
        }
    }
}
