import EventTransport
import FoundationEssentials
import HTTPWire
import ProxyCore

/// The access log of one worker: one JSON line for each exchange, gathered and handed over in batches.
///
/// Confined to the worker's loop. Lines that the writer has no room for are dropped and counted.
final class AccessLog {
    private let writer: BackgroundWriter
    /// For each route, the text from its name to the method; the last one is for requests without a route.
    private let routeTexts: [[UInt8]]
    private let credentialNames: [[UInt8]]
    private let loop: EventLoop
    private let state = Confined(Batch())
    private lazy var timer = Timer(loop: loop) { [unowned self] in flush() }
    private(set) var droppedLineCount: UInt64 = 0

    /// The gathered lines.
    private struct Batch: ~Copyable {
        var lines = OutputBuffer()
        var lineCount = 0
        private var clock = TimestampClock()
        /// The beginning of every line for an exchange that ends at `startTime`, up to the route.
        private var start = OutputBuffer()
        private var startTime = MonotonicInstant.distantFuture

        /// Begins a line for an exchange that ends at `now`.
        mutating func beginLine(at now: MonotonicInstant) {
            if now != startTime {
                start.removeAll()
                start.append(text: "{\"time\":\"")
                clock.append(to: &start)
                start.append(text: "\",\"route\":")
                startTime = now
            }
            lines.append(copying: start)
            lineCount += 1
        }
    }

    private static let batchLimit = 32_768
    private static let batchTime: Duration = .milliseconds(200)

    init(writer: BackgroundWriter, routes: [Route], credentials: [String], loop: EventLoop) {
        self.writer = writer
        self.loop = loop
        routeTexts = (routes.map { JSONText.quoted($0.name) } + ["null"]).map { Array("\($0),\"method\":\"".utf8) }
        credentialNames = credentials.map { Array(JSONText.quoted($0).utf8) }
    }

    /// Appends the line of an exchange that ended at `now`, by the loop's clock.
    ///
    /// Exchanges of one turn have the same end, and the last bytes of their responses are sent at the end of that turn.
    func append(_ record: borrowing ExchangeRecord, endedAt now: MonotonicInstant) {
        let isFirst = state.value.lines.isEmpty
        let isFull = append(record, now, to: &state.value)
        if isFirst { timer.schedule(after: Self.batchTime) }
        if isFull { flush() }
    }

    /// - Returns: whether the batch is full.
    private func append(_ record: borrowing ExchangeRecord, _ now: MonotonicInstant, to batch: inout Batch) -> Bool {
        batch.beginLine(at: now)
        append(record, now, to: &batch.lines)
        return batch.lines.count >= Self.batchLimit
    }

    private func append(_ record: borrowing ExchangeRecord, _ now: MonotonicInstant, to lines: inout OutputBuffer) {
        let route = routeTexts[record.route ?? routeTexts.count - 1]
        lines.append(copying: route.span)
        if record.request.isEmpty {
            lines.append(text: "\",\"target\":\"\"")
        } else {
            lines.append(copying: record.request)
        }
        lines.append(text: ",\"status\":")
        Self.append(status: record.status, to: &lines)
        lines.append(text: ",\"durationMs\":")
        Self.append(thousandths: now.nanoseconds(since: record.startedAt) / 1000, to: &lines)
        lines.append(text: ",\"bytesReceived\":")
        lines.append(decimal: record.bytesReceived)
        lines.append(text: ",\"bytesSent\":")
        lines.append(decimal: record.bytesSent)
        if !record.client.isEmpty {
            lines.append(text: ",\"client\":")
            lines.append(copying: record.client.span)
        }
        if !record.upstream.isEmpty {
            lines.append(text: ",\"upstream\":")
            lines.append(copying: record.upstream.span)
            lines.append(text: ",\"attempts\":")
            lines.append(decimal: record.attempts)
        }
        if let credential = record.credential { append(credential, record, to: &lines) }
        if !record.challenge.isEmpty {
            lines.append(text: ",\"challenge\":\"")
            lines.append(copying: record.challenge.span)
            lines.append(text: "\"")
        }
        if record.hasDroppedUpgrade { lines.append(text: ",\"upgrade\":\"dropped\"") }
        if let error = record.error {
            lines.append(text: ",\"source\":\"")
            lines.append(copying: Array(error.source.rawValue.utf8).span)
            lines.append(text: "\",\"code\":\"")
            lines.append(text: error.code)
            lines.append(text: "\",\"error\":")
            lines.append(copying: Array(JSONText.quoted(error.detail).utf8).span)
        }
        lines.append(text: "}\n")
    }

    private func append(_ credential: Int, _ record: borrowing ExchangeRecord, to lines: inout OutputBuffer) {
        lines.append(text: ",\"credential\":")
        let name = credentialNames[credential]
        lines.append(copying: name.span)
        guard let age = record.tokenAge else { return }
        lines.append(text: ",\"tokenAge\":")
        Self.append(thousandths: age / 1_000_000, to: &lines)
    }

    /// Hands over the gathered lines.
    func flush() {
        guard !state.value.lines.isEmpty else { return }
        if !state.value.lines.withSpan({ writer.submit($0) }) { droppedLineCount += UInt64(state.value.lineCount) }
        state.value.lines.removeAll()
        state.value.lineCount = 0
        timer.cancel()
    }

    /// Appends a status, which is 0 if no response began.
    private static func append(status: Int, to out: inout OutputBuffer) {
        if 100...999 ~= status { out.append(threeDigits: status) } else { out.append(decimal: status) }
    }

    /// Appends a count of thousandths as a number with three decimals; 0 if it is negative.
    private static func append(thousandths count: Int64, to out: inout OutputBuffer) {
        let count = UInt64(max(0, count))
        let whole = count / 1000
        out.append(decimal: whole)
        out.append(UInt8(ascii: "."))
        out.append(threeDigits: Int(truncatingIfNeeded: count &- whole &* 1000))
    }
}
