package import HTTPWire
package import TokenManager

/// Reads the parameters of a parameterised credential from a request's head; made once for each credential.
package final class ParameterReader: Sendable {
    private let parameters: [RequestParameter]
    /// The names of the fields that are read and not forwarded, in lower case.
    package let fieldNames: [[UInt8]]

    /// - Parameter parameters: in the order of the credential's own.
    package init(_ parameters: [RequestParameter]) {
        self.parameters = parameters
        fieldNames = parameters.compactMap { if case .field(let name) = $0 { Array(name.utf8) } else { nil } }
    }

    /// Adds the values of a request to an empty key.
    ///
    /// - Throws: The error that names a missing or repeated value.
    package func fill(
        _ key: inout ParameterKey, from head: borrowing RequestHead, in bytes: Span<UInt8>
    ) throws(ProxyError) {
        for parameter in parameters {
            try withValue(of: parameter, in: head, bytes) { key.append($0, of: parameter) }
        }
    }

    /// The values of a request for which `fill` has made a key.
    package func values(in head: borrowing RequestHead, _ bytes: Span<UInt8>) throws(ProxyError) -> RequestParameters {
        var values = RequestParameters()
        for parameter in parameters {
            var text: [UInt8] = []
            try withValue(of: parameter, in: head, bytes) { text.append(copying: $0) }
            if parameter == .host { text = text.map(ASCII.lowercased) }
            values[parameter] = String(decoding: text, as: UTF8.self)
        }
        return values
    }

    private func withValue(
        of parameter: RequestParameter, in head: borrowing RequestHead, _ bytes: Span<UInt8>,
        _ use: (Span<UInt8>) -> Void
    ) throws(ProxyError) {
        let value: ByteRange
        switch parameter {
        case .host: return Self.host(head.target, in: bytes).withURIHost(in: bytes, use)
        case .field(let name): value = try Self.field(name, of: head, in: bytes)
        case .bearerToken: value = try Self.bearerToken(of: head, in: bytes)
        }
        use(bytes.extracting(value.lowerBound..<value.upperBound))
    }

    private static func host(_ target: RequestTarget, in bytes: Span<UInt8>) -> TargetHost {
        guard case .absolute(_, let host, _, _) = target else {
            preconditionFailure("a request without a host was routed")
        }
        return TargetHost(host, in: bytes)
    }

    private static func field(
        _ name: String, of head: borrowing RequestHead, in bytes: Span<UInt8>
    ) throws(ProxyError) -> ByteRange {
        var found: ByteRange?
        for index in 0..<head.fields.count {
            let field = head.fields[index]
            guard ASCII.equalsIgnoringCase(bytes, field.name, name) else { continue }
            guard found == nil else {
                throw ProxyError(
                    .parameterUnusable, "The field \(name) says which token the request needs: send it once")
            }
            found = field.value
        }
        guard let found else {
            throw ProxyError(
                .parameterUnusable,
                "The field \(name) says which token the request needs, and it is missing: send it once")
        }
        return found
    }

    private static func bearerToken(
        of head: borrowing RequestHead, in bytes: Span<UInt8>
    ) throws(ProxyError) -> ByteRange {
        var found: ByteRange?
        for index in 0..<head.fields.count where head.fields[index].known == .authorization {
            guard found == nil else {
                throw ProxyError(.ambiguousCredential, "The request has several Authorization lines: send one")
            }
            found = head.fields[index].value
        }
        let scheme = "bearer"
        guard let found, found.count > scheme.utf8.count,
            ASCII.equalsIgnoringCase(
                bytes, ByteRange(found.lowerBound, found.lowerBound + scheme.utf8.count), scheme),
            bytes[found.lowerBound + scheme.utf8.count] == ASCII.space
        else {
            throw ProxyError(
                .subjectMissing,
                "The request's own token is exchanged for the backend's here: send Authorization: Bearer with a token")
        }
        var start = found.lowerBound + scheme.utf8.count
        while start < found.upperBound, bytes[start] == ASCII.space { start += 1 }
        return ByteRange(start, found.upperBound)
    }
}

/// Walks the comma-separated elements of a `WWW-Authenticate` value: a comma in a quoted string separates nothing.
struct ChallengeElements {
    private var next: Int
    private let end: Int

    init(_ value: ByteRange) {
        next = value.lowerBound
        end = value.upperBound
    }

    /// The next element that is not empty; nil at the end.
    mutating func next(in bytes: Span<UInt8>) -> ByteRange? {
        while next < end {
            let start = next
            var isQuoted = false
            while next < end, isQuoted || bytes[next] != UInt8(ascii: ",") {
                if bytes[next] == UInt8(ascii: "\"") { isQuoted.toggle() }
                if isQuoted, bytes[next] == UInt8(ascii: "\\") { next += 1 }
                next += 1
            }
            let stop = min(next, end)
            next = stop + 1
            let element = ASCII.trimmingWhitespace(bytes, ByteRange(start, stop))
            if !element.isEmpty { return element }
        }
        return nil
    }
}

/// One `name=value` of a challenge; `value` excludes the quotes of a quoted string.
struct ChallengeParameter {
    let name: ByteRange
    let value: ByteRange

    /// The parameter in `range`; nil if the range holds something else, such as a scheme or a token68.
    init?(_ range: ByteRange, in bytes: Span<UInt8>) {
        let range = ASCII.trimmingWhitespace(bytes, range)
        name = Self.token(at: range.lowerBound, before: range.upperBound, in: bytes)
        let rest = ASCII.trimmingWhitespace(bytes, ByteRange(name.upperBound, range.upperBound))
        guard !name.isEmpty, !rest.isEmpty, bytes[rest.lowerBound] == UInt8(ascii: "=") else { return nil }
        let text = ASCII.trimmingWhitespace(bytes, ByteRange(rest.lowerBound + 1, rest.upperBound))
        let quote = UInt8(ascii: "\"")
        if text.count >= 2, bytes[text.lowerBound] == quote, bytes[text.upperBound - 1] == quote {
            value = ByteRange(text.lowerBound + 1, text.upperBound - 1)
        } else {
            guard ASCII.isToken(bytes, text) else { return nil }
            value = text
        }
    }

    /// Whether the value equals this text.
    ///
    /// In a quoted string, a backslash escapes the next byte (RFC 9110 section 5.6.4); a token has no escapes.
    func says(_ text: String, in bytes: Span<UInt8>) -> Bool {
        var index = value.lowerBound
        for byte in text.utf8 {
            if index < value.upperBound, bytes[index] == UInt8(ascii: "\\") { index += 1 }
            guard index < value.upperBound, bytes[index] == byte else { return false }
            index += 1
        }
        return index == value.upperBound
    }

    /// The token that begins at `start`; it may be empty.
    static func token(at start: Int, before end: Int, in bytes: Span<UInt8>) -> ByteRange {
        var index = start
        while index < end, ASCII.isToken(bytes[index]) { index += 1 }
        return ByteRange(start, index)
    }
}
