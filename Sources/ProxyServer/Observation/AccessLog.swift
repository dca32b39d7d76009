import EventTransport
import FoundationEssentials
import HTTPWire
import ProxyConfiguration
import ProxyCore

/// The access log of one worker: one JSON line for each exchange, gathered and handed over in batches.
///
/// Confined to the worker's loop. Lines that the writer has no room for are dropped and counted.
final class AccessLog {
    private let writer: BackgroundWriter
    private let names: Confined<Names>
    private let loop: EventLoop
    private let state: Confined<Batch>
    private lazy var timer = Timer(loop: loop) { [unowned self] in flush() }
    private(set) var droppedLineCount: UInt64 = 0
    /// Whether its lines need `ExchangeDetails`.
    let needsDetails: Bool
    private var dropped: (() -> Void)?
    private var handedOver: (() -> Void)?

    /// The names of routes and credentials as lines have them.
    private struct Names: ~Copyable {
        /// The text from the name to the method: the first one is for requests without a route, and the text of each
        /// route is at its number and one.
        let routes: [[UInt8]]
        private static let methodOpening = ",\"method\":\""
        /// By number.
        let credentials: [[UInt8]]

        init(routes: [String], credentials: [String]) {
            self.routes = (["null"] + routes.map { JSONText.quoted($0) }).map {
                Array("\($0)\(Self.methodOpening)".utf8)
            }
            self.credentials = credentials.map { Array(JSONText.quoted($0).utf8) }
        }

        /// The length of the name in a text of `routes`.
        static func nameLength(in text: Span<UInt8>) -> Int { text.count - methodOpening.utf8.count }
    }

    /// The gathered lines.
    private struct Batch: ~Copyable {
        var lines = OutputBuffer()
        var lineCount = 0
        /// Nil if a line has the standard fields.
        var chosen: ChosenLine?
        private var clock = TimestampClock()
        private var start = LineStart()
        var attachment = LineAttachment()

        init(_ fields: [AccessLogField]) {
            chosen = fields == AccessLogField.standard ? nil : ChosenLine(fields)
        }

        /// Begins a line for an exchange that ends at `now`, up to the method.
        mutating func beginLine(at now: MonotonicInstant, _ route: Int?, _ names: borrowing Names) {
            if now != start.time || route != start.route {
                start.text.removeAll()
                start.text.append(text: "{\"time\":\"")
                clock.append(to: &start.text)
                start.text.append(text: "\",\"route\":")
                let name = names.routes[(route ?? -1) + 1]
                start.text.append(copying: name.span)
                (start.time, start.route) = (now, route)
            }
            lines.append(copying: start.text)
            lineCount += 1
        }

        /// Hands over the lines, and begins a batch.
        mutating func take() -> Lines {
            var taken = OutputBuffer(capacity: AccessLog.batchLimit + 4096)
            swap(&taken, &lines)
            lineCount = 0
            return Lines(taken)
        }
    }

    /// The beginning of the last line, up to the method; the next one often has the same time and route.
    private struct LineStart: ~Copyable {
        var text = OutputBuffer()
        var time = MonotonicInstant.distantFuture
        var route: Int?
    }

    /// What the last line has from the upstream to the age of the token; the next one often has the same.
    private struct LineAttachment: ~Copyable {
        private var text = OutputBuffer()
        private var upstream: UpstreamName?
        private var attempts = 0
        private var credential: Int?
        /// Where the age begins in the text.
        private var ageStart = 0
        /// In milliseconds.
        private var age: Int64 = -1

        /// Appends the part for a record, which has an upstream and a token of this age.
        mutating func append(
            _ record: borrowing ExchangeRecord, _ age: Int64, _ names: borrowing Names, to lines: inout OutputBuffer
        ) {
            if record.upstreamName !== upstream || record.attempts != attempts || record.credential != credential {
                (upstream, attempts, credential) = (record.upstreamName, record.attempts, record.credential)
                text.removeAll()
                AccessLog.append(upstreamOf: record, to: &text)
                if let credential { AccessLog.append(credential: credential, names, to: &text) }
                text.append(text: AccessLog.ageName)
                (ageStart, self.age) = (text.count, -1)
            }
            if age != self.age {
                self.age = age
                text.removeAll(behind: ageStart)
                AccessLog.append(thousandths: age, to: &text)
            }
            lines.append(copying: text)
        }
    }

    /// The lines of a batch.
    private final class Lines: WrittenLines {
        private let bytes: OutputBuffer

        init(_ bytes: consuming OutputBuffer) { self.bytes = bytes }

        var byteCount: Int { bytes.count }

        func withBytes(_ body: (Span<UInt8>) -> Void) { bytes.withSpan(body) }
    }

    /// In bytes.
    ///
    /// Each batch wakes the writer's thread, and file systems take large writes at less cost for each byte.
    private static let batchLimit = 131_072
    private static let batchTime: Duration = .milliseconds(200)

    /// - Parameters:
    ///   - writer: Takes the batches.
    ///   - routes: The names of the routes, by number.
    ///   - credentials: The names of the credentials, by number.
    ///   - fields: The fields of a line.
    ///   - loop: The worker's loop.
    init(
        writer: BackgroundWriter, routes: [String], credentials: [String],
        fields: [AccessLogField] = AccessLogField.standard, loop: EventLoop
    ) {
        state = Confined(Batch(fields))
        needsDetails = ChosenLine.needsDetails(fields)
        self.writer = writer
        self.loop = loop
        names = Confined(Names(routes: routes, credentials: credentials))
    }

    /// Sets what is called when lines are dropped.
    func whenDropped(_ dropped: @escaping () -> Void) { self.dropped = dropped }

    /// Sets what is called with each batch.
    func whenHandedOver(_ handedOver: @escaping () -> Void) { self.handedOver = handedOver }

    /// Learns the names of further routes and credentials; every number keeps its name.
    func learn(routes: [String], credentials: [String]) {
        names.value = Names(routes: routes, credentials: credentials)
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
        if batch.chosen != nil {
            appendChosen(record, now, to: &batch)
        } else {
            append(record, now, names.value, to: &batch)
        }
        return batch.lines.count >= Self.batchLimit
    }

    @inline(never)
    private func appendChosen(_ record: borrowing ExchangeRecord, _ now: MonotonicInstant, to batch: inout Batch) {
        let route = names.value.routes[(record.route ?? -1) + 1]
        batch.lineCount += 1
        batch.chosen?.append(
            record, endedAt: now, route: route.span.extracting(..<Names.nameLength(in: route.span)),
            credential: record.credential.map { names.value.credentials[$0] }, to: &batch.lines)
    }

    private func append(
        _ record: borrowing ExchangeRecord, _ now: MonotonicInstant, _ names: borrowing Names, to batch: inout Batch
    ) {
        batch.beginLine(at: now, record.route, names)
        if record.request.isEmpty {
            batch.lines.append(text: "\",\"target\":\"\"")
        } else {
            batch.lines.append(copying: record.request)
        }
        batch.lines.append(text: ",\"status\":")
        Self.append(status: record.status, to: &batch.lines)
        batch.lines.append(text: ",\"durationMs\":")
        Self.append(thousandths: now.nanoseconds(since: record.startedAt) / 1000, to: &batch.lines)
        batch.lines.append(text: ",\"bytesReceived\":")
        batch.lines.append(decimal: record.bytesReceived)
        batch.lines.append(text: ",\"bytesSent\":")
        batch.lines.append(decimal: record.bytesSent)
        if !record.client.isEmpty {
            batch.lines.append(text: ",\"client\":")
            batch.lines.append(copying: record.client.span)
        }
        if record.hasUpstream, record.credential != nil, let age = record.tokenAge {
            batch.attachment.append(record, age / 1_000_000, names, to: &batch.lines)
        } else {
            if record.hasUpstream { Self.append(upstreamOf: record, to: &batch.lines) }
            if let credential = record.credential {
                Self.append(credential: credential, names, to: &batch.lines)
                if let age = record.tokenAge {
                    batch.lines.append(text: Self.ageName)
                    Self.append(thousandths: age / 1_000_000, to: &batch.lines)
                }
            }
        }
        if record.isUnusual { appendUnusual(record, to: &batch.lines) }
        batch.lines.append(text: "}\n")
    }

    /// Appends what few lines have.
    @inline(never)
    private func appendUnusual(_ record: borrowing ExchangeRecord, to lines: inout OutputBuffer) {
        if !record.challenge.isEmpty {
            lines.append(text: ",\"challenge\":\"")
            lines.append(copying: record.challenge.span)
            lines.append(text: "\"")
        }
        if record.hasDroppedUpgrade { lines.append(text: ",\"upgrade\":\"dropped\"") }
        appendTrace(record, to: &lines)
        if let error = record.error {
            lines.append(text: ",\"source\":\"")
            lines.append(copying: Array(error.source.rawValue.utf8).span)
            lines.append(text: "\",\"code\":\"")
            lines.append(text: error.code)
            lines.append(text: "\",\"error\":")
            lines.append(copying: Array(JSONText.quoted(error.detail).utf8).span)
        }
    }

    /// Appends the identifier of the trace of a traced request.
    private func appendTrace(_ record: borrowing ExchangeRecord, to lines: inout OutputBuffer) {
        guard let trace = record.details?.trace else { return }
        lines.append(text: ",\"traceId\":\"")
        trace.span.traceID.append(to: &lines)
        lines.append(text: "\"")
    }

    private static let ageName: StaticString = ",\"tokenAge\":"

    private static func append(upstreamOf record: borrowing ExchangeRecord, to lines: inout OutputBuffer) {
        lines.append(text: ",\"upstream\":")
        lines.append(copying: record.upstream.span)
        lines.append(text: ",\"attempts\":")
        lines.append(decimal: record.attempts)
    }

    private static func append(credential: Int, _ names: borrowing Names, to lines: inout OutputBuffer) {
        lines.append(text: ",\"credential\":")
        let name = names.credentials[credential]
        lines.append(copying: name.span)
    }

    /// Hands over the gathered lines.
    func flush() {
        guard !state.value.lines.isEmpty else { return }
        let lineCount = state.value.lineCount
        if !writer.submit(state.value.take()) {
            droppedLineCount += UInt64(lineCount)
            dropped?()
        }
        timer.cancel()
        handedOver?()
    }

    /// Appends a status, which is 0 if no response began.
    static func append(status: Int, to out: inout OutputBuffer) {
        if 100...999 ~= status { out.append(threeDigits: status) } else { out.append(decimal: status) }
    }

    /// Appends a count of thousandths as a number with three decimals; 0 if it is negative.
    static func append(thousandths count: Int64, to out: inout OutputBuffer) {
        out.append(thousandths: UInt64(max(0, count)))
    }
}
