import EventTransport
import HTTPWire
import ProxyConfiguration
import ProxyCore

/// A line of the access log with the fields that the configuration has chosen, in its order.
///
/// Fields that do not apply to the exchange are left out, as in a line without a choice.
struct ChosenLine: ~Copyable {
    private let fields: [AccessLogField]
    /// The names as JSON with their colons, by the positions of `fields`.
    private let names: [[UInt8]]
    private var line = OutputBuffer()
    private var hasField = false
    private var clock = TimestampClock()

    init(_ fields: [AccessLogField]) {
        self.fields = fields
        names = fields.map { Array("\"\($0.rawValue)\":".utf8) }
    }

    /// Whether a field needs `ExchangeDetails`.
    static func needsDetails(_ fields: [AccessLogField]) -> Bool {
        !Set(fields).isSubset(of: AccessLogField.standard)
    }

    /// Appends the line of a record.
    ///
    /// - Parameters:
    ///   - record: The record.
    ///   - now: The end of the exchange.
    ///   - route: The name of the route as JSON.
    ///   - credential: The name of the credential as JSON; nil if there is none.
    ///   - out: The lines before.
    mutating func append(
        _ record: borrowing ExchangeRecord, endedAt now: MonotonicInstant, route: Span<UInt8>, credential: [UInt8]?,
        to out: inout OutputBuffer
    ) {
        line.removeAll()
        hasField = false
        line.append(UInt8(ascii: "{"))
        for index in fields.indices {
            append(fields[index], names[index], record, now, route, credential)
        }
        line.append(text: "}\n")
        out.append(copying: line)
    }

    private mutating func begin(_ name: [UInt8]) {
        if hasField { line.append(UInt8(ascii: ",")) }
        hasField = true
        line.append(copying: name.span)
    }

    private mutating func append(
        _ field: AccessLogField, _ name: [UInt8], _ record: borrowing ExchangeRecord, _ now: MonotonicInstant,
        _ route: Span<UInt8>, _ credential: [UInt8]?
    ) {
        switch field {
        case .time:
            begin(name)
            line.append(UInt8(ascii: "\""))
            clock.append(to: &line)
            line.append(UInt8(ascii: "\""))
        case .route:
            begin(name)
            line.append(copying: route)
        case .method, .target: appendRequest(field == .method, name, record)
        case .status:
            begin(name)
            AccessLog.append(status: record.status, to: &line)
        case .durationMs: append(name, nanoseconds: now.nanoseconds(since: record.startedAt))
        case .bytesReceived: append(name, count: record.bytesReceived)
        case .bytesSent: append(name, count: record.bytesSent)
        case .client: if !record.client.isEmpty { append(name, json: record.client.span) }
        case .upstream: if !record.upstream.isEmpty { append(name, json: record.upstream.span) }
        case .attempts: if !record.upstream.isEmpty { append(name, count: UInt64(record.attempts)) }
        case .credential: if let credential { append(name, json: credential.span) }
        case .tokenAge:
            if credential != nil, let age = record.tokenAge {
                begin(name)
                AccessLog.append(thousandths: age / 1_000_000, to: &line)
            }
        case .challenge: if !record.challenge.isEmpty { append(name, inside: record.challenge.span) }
        case .upgrade:
            if record.hasDroppedUpgrade {
                begin(name)
                line.append(text: "\"dropped\"")
            }
        case .source: if let error = record.error { append(name, word: error.source.rawValue) }
        case .code: if let error = record.error { append(name, word: "\(error.code)") }
        case .error:
            if let error = record.error { append(name, json: Array(JSONText.quoted(error.detail).utf8).span) }
        case .authority, .path, .query, .clientAddress, .upstreamAddress, .connectionReused, .credentialOutcome,
            .credentialMs, .connectMs, .firstByteMs, .traceId:
            if let details = record.details { append(field, name, details, since: record.startedAt) }
        }
    }

    private mutating func append(
        _ field: AccessLogField, _ name: [UInt8], _ details: ExchangeDetails, since start: MonotonicInstant
    ) {
        switch field {
        case .authority: if !details.authority.isEmpty { append(name, insideOf: details.authority) }
        case .path: if !details.path.isEmpty { append(name, insideOf: details.path) }
        case .query: if !details.query.isEmpty { append(name, insideOf: details.query) }
        case .clientAddress: if let address = details.clientAddress { append(name, word: "\(address)") }
        case .upstreamAddress: if let address = details.upstreamAddress { append(name, word: "\(address)") }
        case .connectionReused:
            if let isReused = details.reusesConnection {
                begin(name)
                line.append(text: isReused ? "true" : "false")
            }
        case .credentialOutcome: if let outcome = details.credentialOutcome { append(name, word: outcome.rawValue) }
        case .credentialMs: if let wait = details.credentialWait { append(name, nanoseconds: wait) }
        case .connectMs: if let wait = details.connectWait { append(name, nanoseconds: wait) }
        case .firstByteMs:
            if let first = details.firstByteAt { append(name, nanoseconds: first.nanoseconds(since: start)) }
        case .traceId:
            if let trace = details.traceID {
                begin(name)
                line.append(UInt8(ascii: "\""))
                trace.append(to: &line)
                line.append(UInt8(ascii: "\""))
            }
        case .time, .route, .method, .target, .status, .durationMs, .bytesReceived, .bytesSent, .client, .upstream,
            .attempts, .credential, .tokenAge, .challenge, .upgrade, .source, .code, .error:
            preconditionFailure("a field of every record was looked up in the details")
        }
    }

    // MARK: - Values

    private mutating func append(_ name: [UInt8], json value: Span<UInt8>) {
        begin(name)
        line.append(copying: value)
    }

    private mutating func append(_ name: [UInt8], inside value: Span<UInt8>) {
        begin(name)
        line.append(UInt8(ascii: "\""))
        line.append(copying: value)
        line.append(UInt8(ascii: "\""))
    }

    private mutating func append(_ name: [UInt8], insideOf value: borrowing OutputBuffer) {
        begin(name)
        line.append(UInt8(ascii: "\""))
        line.append(copying: value)
        line.append(UInt8(ascii: "\""))
    }

    /// Appends a text that needs no escapes.
    private mutating func append(_ name: [UInt8], word: String) { append(name, inside: Array(word.utf8).span) }

    private mutating func append(_ name: [UInt8], count: UInt64) {
        begin(name)
        line.append(decimal: count)
    }

    private mutating func append(_ name: [UInt8], nanoseconds: Int64) {
        begin(name)
        AccessLog.append(thousandths: nanoseconds / 1000, to: &line)
    }

    /// Appends the method or the target, which the record has as one text.
    private mutating func appendRequest(_ isMethod: Bool, _ name: [UInt8], _ record: borrowing ExchangeRecord) {
        begin(name)
        line.append(UInt8(ascii: "\""))
        record.request.withSpan { bytes in
            var end = 0
            // A method is a token, which has no quotation mark.
            while end < bytes.count, bytes[end] != UInt8(ascii: "\"") { end += 1 }
            let targetStart = end + ExchangeRecord.targetOpening.utf8CodeUnitCount
            if isMethod {
                line.append(copying: bytes.extracting(0..<end))
            } else if targetStart < bytes.count {
                line.append(copying: bytes.extracting(targetStart..<bytes.count - 1))
            }
        }
        line.append(UInt8(ascii: "\""))
    }
}
