import EventTransport
import HTTPWire
import ProxyCore

/// Spans as the JSON of OTLP (opentelemetry-proto 1.x), with the attributes of OpenTelemetry's semantic conventions.
struct SpanText: ~Copyable {
    private(set) var out = OutputBuffer()
    private(set) var spanCount = 0
    private var hasAttribute = false

    /// The numbers of OTLP.
    private enum Kind: UInt64 {
        case server = 2
        case client = 3
    }

    /// The beginning and end of a span, in nanoseconds since 1970.
    private struct Times {
        let start: UInt64
        let end: UInt64

        init(_ start: MonotonicInstant, _ end: MonotonicInstant, _ unixTime: Int64) {
            self.start = UInt64(max(0, start.nanoseconds + unixTime))
            self.end = max(self.start, UInt64(max(0, end.nanoseconds + unixTime)))
        }
    }

    /// Appends the spans of an exchange.
    ///
    /// - Parameters:
    ///   - trace: The spans.
    ///   - details: The parts of the target.
    ///   - record: The rest about the exchange.
    ///   - now: The end of the exchange.
    ///   - names: The names of route and credential as JSON; nil without them.
    ///   - unixTime: What to add to an instant's nanoseconds for the time since 1970.
    mutating func append(
        _ trace: ExchangeTrace, _ details: ExchangeDetails, _ record: borrowing ExchangeRecord,
        endedAt now: MonotonicInstant, names: (route: [UInt8]?, credential: [UInt8]?), unixTime: Int64
    ) {
        begin(trace, id: trace.span.spanID, parent: trace.parentSpanID, .server)
        append("url.scheme", word: trace.scheme.rawValue)
        if !details.path.isEmpty { append("url.path", insideOf: details.path) }
        authority(details.authority)
        if let client = details.clientAddress { append(client, "client.address", "client.port") }
        if let route = names.route { append("attache.route", json: route.span) }
        status(record.status)
        let isError = record.status >= 500 || record.status == 0
        if isError { errorType(record.error, status: record.status) }
        end(Times(record.startedAt, now, unixTime), isError: isError)
        for (number, sending) in trace.sendings.enumerated() {
            begin(trace, id: sending.spanID, parent: trace.span.spanID, .client)
            if let origin = trace.origin {
                append("server.address", text: origin.host)
                append("server.port", number: UInt64(origin.port))
                if !trace.upstreamPath.isEmpty { url(origin, trace.upstreamPath) }
            }
            if let peer = sending.address { append(peer, "network.peer.address", "network.peer.port") }
            if number > 0 { append("http.request.resend_count", number: UInt64(number)) }
            append("attache.connection.reused", isTrue: sending.reusesConnection)
            if let credential = names.credential { append("attache.credential", json: credential.span) }
            status(sending.status)
            let isError: Bool
            if let retry = sending.retry {
                append("error.type", word: retry.rawValue)
                isError = true
            } else {
                // A response of Attaché's own to the app's fault is no error of the backend.
                let error = record.error.flatMap { $0.source == .downstream ? nil : $0 }
                isError = error != nil || sending.status >= 400
                if isError { errorType(error, status: sending.status) }
            }
            end(Times(sending.startedAt, sending.endedAt ?? now, unixTime), isError: isError)
        }
    }

    var byteCount: Int { out.count }

    /// Removes the spans and keeps the memory, unless it is larger than `limit`.
    mutating func removeAll(keepingAtMost limit: Int) {
        out.removeAll(keepingAtMost: limit)
        spanCount = 0
    }

    // MARK: - The parts of a span

    private mutating func begin(_ trace: ExchangeTrace, id: UInt64, parent: UInt64?, _ kind: Kind) {
        if spanCount > 0 { out.append(UInt8(ascii: ",")) }
        spanCount += 1
        hasAttribute = false
        out.append(text: "{\"traceId\":\"")
        trace.span.traceID.append(to: &out)
        out.append(text: "\",\"spanId\":\"")
        out.append(hexadecimal16: id)
        if let parent {
            out.append(text: "\",\"parentSpanId\":\"")
            out.append(hexadecimal16: parent)
        }
        if !trace.state.bytes.isEmpty {
            out.append(text: "\",\"traceState\":\"")
            appendEscaped(trace.state.bytes)
        }
        let (isKnown, method) = (trace.method.isOfSemanticConventions, trace.methodName)
        out.append(text: "\",\"name\":\"")
        if isKnown { out.append(copying: method.span) } else { out.append(text: "HTTP") }
        out.append(text: "\",\"kind\":")
        out.append(decimal: kind.rawValue)
        out.append(text: ",\"attributes\":[")
        if isKnown {
            append("http.request.method", inside: method.span)
        } else {
            append("http.request.method", word: "_OTHER")
            append("http.request.method_original", inside: method.span)
        }
    }

    private mutating func end(_ times: Times, isError: Bool) {
        out.append(text: "],\"startTimeUnixNano\":\"")
        out.append(decimal: times.start)
        out.append(text: "\",\"endTimeUnixNano\":\"")
        out.append(decimal: times.end)
        // 0 is unset, 2 an error.
        out.append(text: isError ? "\",\"status\":{\"code\":2}}" : "\"}")
    }

    // MARK: - Attributes

    /// Appends the status of a response; 0 if there was none.
    private mutating func status(_ status: Int) {
        if status > 0 { append("http.response.status_code", number: UInt64(status)) }
    }

    /// Appends the code of Attaché's error, or else the status of a response, if there was one.
    private mutating func errorType(_ error: ProxyError?, status: Int) {
        if let error {
            append("error.type", word: "\(error.code)")
        } else if status > 0 {
            append("error.type", word: "\(status)")
        }
    }

    private mutating func key(_ key: StaticString) {
        if hasAttribute { out.append(UInt8(ascii: ",")) }
        hasAttribute = true
        out.append(text: "{\"key\":\"")
        out.append(text: key)
        out.append(text: "\",\"value\":{\"")
    }

    /// Appends a value that is the inside of a JSON string.
    private mutating func append(_ name: StaticString, inside value: Span<UInt8>) {
        key(name)
        out.append(text: "stringValue\":\"")
        out.append(copying: value)
        out.append(text: "\"}}")
    }

    private mutating func append(_ name: StaticString, insideOf value: borrowing OutputBuffer) {
        key(name)
        out.append(text: "stringValue\":\"")
        out.append(copying: value)
        out.append(text: "\"}}")
    }

    private mutating func append(_ name: StaticString, json value: Span<UInt8>) {
        append(name, inside: value.extracting(1..<value.count - 1))
    }

    /// Appends a text that needs no escapes.
    private mutating func append(_ name: StaticString, word: String) { append(name, inside: Array(word.utf8).span) }

    private mutating func append(_ name: StaticString, text: String) {
        append(name, word: JSONText.escaped(text[...]))
    }

    private mutating func append(_ name: StaticString, number: UInt64) {
        key(name)
        out.append(text: "intValue\":\"")
        out.append(decimal: number)
        out.append(text: "\"}}")
    }

    private mutating func append(_ name: StaticString, isTrue: Bool) {
        key(name)
        out.append(text: isTrue ? "boolValue\":true}}" : "boolValue\":false}}")
    }

    private mutating func append(_ address: SocketAddress, _ name: StaticString, _ port: StaticString) {
        append(name, word: "\(address.ip)")
        append(port, number: UInt64(address.port))
    }

    /// Appends host and port that the app named.
    private mutating func authority(_ authority: borrowing OutputBuffer) {
        guard !authority.isEmpty else { return }
        let text = authority.withSpan { bytes in
            var copy: [UInt8] = []
            copy.append(copying: bytes)
            return String(decoding: copy, as: UTF8.self)
        }
        let digits = text.reversed().prefix { $0.isNumber }
        let rest = text.dropLast(digits.count)
        guard !digits.isEmpty, rest.hasSuffix(":"), let port = UInt16(String(digits.reversed())) else {
            return append("server.address", word: Self.unbracketed(text))
        }
        append("server.address", word: Self.unbracketed(String(rest.dropLast())))
        append("server.port", number: UInt64(port))
    }

    /// The host; an IPv6 address without its brackets.
    private static func unbracketed(_ host: String) -> String {
        host.hasPrefix("[") && host.hasSuffix("]") ? String(host.dropFirst().dropLast()) : host
    }

    private mutating func url(_ origin: Origin, _ path: borrowing OutputBuffer) {
        key("url.full")
        out.append(text: "stringValue\":\"")
        out.append(copying: Array(JSONText.escaped("\(origin)"[...]).utf8).span)
        out.append(copying: path)
        out.append(text: "\"}}")
    }

    private mutating func appendEscaped(_ bytes: [UInt8]) {
        for byte in bytes {
            if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") { out.append(UInt8(ascii: "\\")) }
            out.append(byte)
        }
    }
}

extension Method {
    /// Whether OpenTelemetry knows the method; the name of any other one could be anything.
    fileprivate var isOfSemanticConventions: Bool {
        switch self {
        case .other: false
        default: true
        }
    }
}
