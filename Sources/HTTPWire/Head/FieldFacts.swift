/// The content of the fields that frame and route a message, collected while they are parsed.
///
/// A second line that could give the message a second meaning is refused here, even if it repeats the first.
struct FieldFacts: BitwiseCopyable {
    private(set) var host: ByteRange?
    private(set) var isHostRepeated = false
    private(set) var contentLength: ByteRange?
    private(set) var transferEncoding: ByteRange?
    private(set) var expect: ByteRange?
    private(set) var keepAlive: ByteRange?
    private(set) var connection: ConnectionOptions = []
    private var namedFields = 0

    @inline(__always)
    mutating func note(_ line: FieldLine, in bytes: Span<UInt8>) throws(MessageError) {
        if line.known.isFact { try noteKnown(line, in: bytes) }
    }

    /// Moves the ranges by `offset`, backwards if that is negative.
    mutating func move(by offset: Int) {
        host = host?.moved(by: offset)
        contentLength = contentLength?.moved(by: offset)
        transferEncoding = transferEncoding?.moved(by: offset)
        expect = expect?.moved(by: offset)
        keepAlive = keepAlive?.moved(by: offset)
    }

    private mutating func noteKnown(_ line: FieldLine, in bytes: Span<UInt8>) throws(MessageError) {
        switch line.known {
        case .host:
            // Only a request is refused for it: in a response, the field has no meaning.
            isHostRepeated = host != nil
            host = line.value
        case .contentLength:
            guard contentLength == nil else { throw .repeatedContentLength }
            guard transferEncoding == nil else { throw .conflictingFraming }
            contentLength = line.value
        case .transferEncoding:
            guard transferEncoding == nil else { throw .repeatedTransferEncoding }
            guard contentLength == nil else { throw .conflictingFraming }
            transferEncoding = line.value
        case .connection:
            try noteConnection(line.value, in: bytes)
        case .expect:
            if expect == nil { expect = line.value }
        case .keepAlive:
            if keepAlive == nil { keepAlive = line.value }
        default: break
        }
    }

    private mutating func noteConnection(_ value: ByteRange, in bytes: Span<UInt8>) throws(MessageError) {
        // The value of nearly all messages.
        if value.count == 10, ASCII.isName(bytes, at: value.lowerBound, "keep-alive") {
            connection.formUnion(.keepAlive)
            return
        }
        var list = TokenList(value)
        while let element = list.next(in: bytes) {
            guard !element.isEmpty else { continue }
            guard ASCII.isToken(bytes, element) else { throw .malformedConnection }
            let option = ConnectionOptions(bytes, option: element)
            connection.formUnion(option)
            guard option.contains(.namesFields) else { continue }
            namedFields += 1
            guard namedFields <= ConnectionNames.capacity else { throw .tooManyConnectionOptions }
        }
    }
}
