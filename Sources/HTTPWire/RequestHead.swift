/// The head of a request as it came, with one clear meaning: what has two is refused, never repaired.
///
/// A value of offsets only; the ranges refer to the bytes that were parsed, which the owner keeps beside it.
package struct RequestHead: Sendable {
    /// Bytes of the head with a skipped empty line before it and the empty line after it: the body begins here.
    package let byteCount: Int
    package let method: Method
    package let methodName: ByteRange
    package let target: RequestTarget
    package let targetText: ByteRange
    package let version: HTTPVersion
    package let fields: FieldLines
    /// `none`, `length` or `chunked`.
    package let framing: BodyFraming
    package let connection: ConnectionOptions
    /// The client waits for a 100 before it sends its body (RFC 9110 section 10.1.1).
    ///
    /// Never in HTTP/1.0, and never where no body follows: there is nothing to wait for.
    package let expectsContinue: Bool
    /// Whether the client may send another request after this one.
    package let isPersistent: Bool

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
        let method = Method(bytes, line.method)
        let target = try RequestTarget(bytes, line.target, for: method)
        guard
            let section = try FieldSection.parse(
                bytes, at: line.end, upTo: window.end, atMost: limits.fieldCount)
        else {
            try window.requireMore(orThrow: .headTooLarge)
            return nil
        }
        return try RequestHead(bytes, line, method, target, section)
    }

    private init(
        _ bytes: Span<UInt8>, _ line: RequestLine, _ method: Method, _ target: RequestTarget, _ section: FieldSection
    ) throws(MessageError) {
        try Self.checkHost(bytes, section.fields, line.version)
        byteCount = section.end
        self.method = method
        methodName = line.method
        self.target = target
        targetText = line.target
        version = line.version
        fields = section.fields
        framing = try Self.framing(bytes, section.fields, line.version, method)
        connection = try ConnectionOptions(bytes, section.fields)
        isPersistent = connection.isPersistent(in: line.version)
        let hasBody = framing != .none && framing != .length(0)
        let expectation = section.fields.first(.expect)
        expectsContinue =
            hasBody && version == .http11
            && expectation.map { ASCII.equalsIgnoringCase(bytes, $0.value, "100-continue") } == true
    }

    private static func framing(
        _ bytes: Span<UInt8>, _ fields: FieldLines, _ version: HTTPVersion, _ method: Method
    ) throws(MessageError) -> BodyFraming {
        let framing: BodyFraming =
            switch try TransferFields(bytes, fields, version) {
            case .absent: .none
            case .length(let count): .length(count)
            case .chunked: .chunked
            }
        // What follows a CONNECT is the tunnel's (RFC 9110 section 9.3.6); content there would have two readings.
        if method == .connect {
            guard framing == .none || framing == .length(0) else { throw .contentInConnect }
            return .none
        }
        return framing
    }

    /// RFC 9112 section 3.2: one Host in 1.1, at most one in 1.0, valid or empty.
    private static func checkHost(
        _ bytes: Span<UInt8>, _ fields: FieldLines, _ version: HTTPVersion
    ) throws(MessageError) {
        guard let host = try fields.only(.host, orThrow: .repeatedHost) else {
            if version == .http11 { throw .missingHost }
            return
        }
        guard !host.value.isEmpty else { return }
        do {
            _ = try Authority(bytes, host.value)
        } catch {
            throw .malformedHostField
        }
    }
}
