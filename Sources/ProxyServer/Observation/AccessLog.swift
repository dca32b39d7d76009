import EventTransport
import FoundationEssentials
import HTTPWire
import ProxyCore

/// The access log of one worker: one JSON line an exchange, gathered and handed over in batches.
///
/// Confined to the worker's loop. Lines that the writer has no room for are dropped and counted.
final class AccessLog {
    private let writer: BackgroundWriter
    private let routeNames: [[UInt8]]
    private let credentialNames: [[UInt8]]
    private let loop: EventLoop
    private var batch = OutputBuffer()
    private var lineCount = 0
    private var clock = TimestampClock()
    private lazy var timer = Timer(loop: loop) { [unowned self] in flush() }
    private(set) var droppedLineCount: UInt64 = 0

    private static let batchLimit = 32_768
    private static let batchTime: Duration = .milliseconds(200)

    init(writer: BackgroundWriter, routes: [Route], credentials: [String], loop: EventLoop) {
        self.writer = writer
        self.loop = loop
        routeNames = routes.map { Array(JSONText.quoted($0.name).utf8) }
        credentialNames = credentials.map { Array(JSONText.quoted($0).utf8) }
    }

    func append(_ record: borrowing ExchangeRecord, endedAt now: MonotonicInstant) {
        if batch.isEmpty { timer.schedule(after: Self.batchTime) }
        batch.append(text: "{\"time\":\"")
        clock.append(to: &batch)
        batch.append(text: "\",\"route\":")
        if let route = record.route {
            let name = routeNames[route]
            batch.append(copying: name.span)
        } else {
            batch.append(text: "null")
        }
        batch.append(text: ",\"method\":\"")
        record.method.withSpan { Self.appendEscaped($0, to: &batch) }
        batch.append(text: "\",\"target\":\"")
        record.target.withSpan { Self.appendEscaped($0, to: &batch) }
        batch.append(text: "\",\"status\":")
        batch.append(decimal: record.status)
        batch.append(text: ",\"durationMs\":")
        Self.append(thousandths: now.nanoseconds(since: record.startedAt) / 1000, to: &batch)
        batch.append(text: ",\"bytesReceived\":")
        batch.append(decimal: record.bytesReceived)
        batch.append(text: ",\"bytesSent\":")
        batch.append(decimal: record.bytesSent)
        if !record.upstream.isEmpty {
            batch.append(text: ",\"upstream\":")
            batch.append(copying: record.upstream.span)
            batch.append(text: ",\"attempts\":")
            batch.append(decimal: record.attempts)
        }
        if let credential = record.credential { append(credential, record) }
        if !record.challenge.isEmpty {
            batch.append(text: ",\"challenge\":\"")
            Self.appendEscaped(record.challenge.span, to: &batch)
            batch.append(text: "\"")
        }
        if let error = record.error {
            batch.append(text: ",\"source\":\"")
            batch.append(copying: Array(error.source.rawValue.utf8).span)
            batch.append(text: "\",\"error\":")
            batch.append(copying: Array(JSONText.quoted(error.detail).utf8).span)
        }
        batch.append(text: "}\n")
        lineCount += 1
        if batch.count >= Self.batchLimit { flush() }
    }

    private func append(_ credential: Int, _ record: borrowing ExchangeRecord) {
        batch.append(text: ",\"credential\":")
        let name = credentialNames[credential]
        batch.append(copying: name.span)
        guard let age = record.tokenAge else { return }
        batch.append(text: ",\"tokenAge\":")
        Self.append(thousandths: age / 1_000_000, to: &batch)
    }

    /// Hands over what has been gathered.
    func flush() {
        guard !batch.isEmpty else { return }
        if !batch.withSpan({ writer.submit($0) }) { droppedLineCount += UInt64(lineCount) }
        batch.removeAll()
        lineCount = 0
        timer.cancel()
    }

    /// Method and target have been through the parser, so only these three can be in the way of JSON; anything else that
    /// is not printable ASCII (a refused request's) becomes a question mark.
    private static func appendEscaped(_ bytes: Span<UInt8>, to out: inout OutputBuffer) {
        var clean = true
        for index in bytes.indices where !isPlain(bytes[index]) {
            clean = false
            break
        }
        if clean { return out.append(copying: bytes) }
        for index in bytes.indices {
            let byte = bytes[index]
            if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") { out.append(UInt8(ascii: "\\")) }
            out.append((0x20..<0x7f).contains(byte) ? byte : UInt8(ascii: "?"))
        }
    }

    private static func isPlain(_ byte: UInt8) -> Bool {
        (0x20..<0x7f).contains(byte) && byte != UInt8(ascii: "\"") && byte != UInt8(ascii: "\\")
    }

    /// Appends a count of thousandths as a number with three digits behind the point; 0 where it is negative.
    private static func append(thousandths count: Int64, to out: inout OutputBuffer) {
        let count = max(0, count)
        out.append(decimal: Int(count / 1000))
        out.append(UInt8(ascii: "."))
        let rest = Int(count % 1000)
        out.append(UInt8(ascii: "0") + UInt8(rest / 100))
        out.append(UInt8(ascii: "0") + UInt8(rest / 10 % 10))
        out.append(UInt8(ascii: "0") + UInt8(rest % 10))
    }
}
