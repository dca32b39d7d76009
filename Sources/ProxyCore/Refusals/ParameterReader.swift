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
