import EventTransport
import HTTPWire
import Logging
import ProxyConfiguration
import Signing
import TokenClient
import TokenManager

/// Sends batches of spans to the collector (OTLP/HTTP, JSON), one after the other.
///
/// Confined to the worker's loop. A batch that the collector does not take is dropped and counted, and never sent again.
final class SpanExporter {
    /// What became of a batch.
    private enum Outcome: Sendable {
        case taken(ExportAnswer)
        /// Why it was lost, as a sentence without its end.
        case lost(String)
    }

    /// The way of a batch with `count` spans.
    private enum State {
        /// No batch is on its way.
        case idle
        /// The file of the collector's header fields is being read.
        case readingHeaders(count: Int)
        /// The batch is sent, or waits for its answer.
        case sending(count: Int, LoopTokenClient.Pending)
    }

    private let settings: TracingConfiguration
    private var resolve: [NameOverride]
    private var client: LoopTokenClient
    private let makeClient: ([NameOverride]) -> LoopTokenClient
    private let loop: EventLoop
    private let logger: Logger
    /// Each batch up to its spans.
    private let opening: [UInt8]
    private static let closing = Array("]}]}]}".utf8)
    private(set) var counts = SpanCounts()
    /// The dropped spans of which the log does not know yet.
    private var unreportedCount = 0
    private var nextReport = MonotonicInstant(nanoseconds: 0)
    private var state = State.idle
    private var done: (() -> Void)?

    private static let connectTimeout: Duration = .seconds(5)
    /// As OpenTelemetry's exporters have it.
    private static let answerTimeout: Duration = .seconds(10)
    private static let remedy = "check tracing.endpoint and tracing.headersFile"

    init(
        _ settings: TracingConfiguration, resolve: [NameOverride], avoiding own: OwnIdentity, loop: EventLoop,
        names: NameCounts, logger: Logger
    ) {
        self.settings = settings
        self.loop = loop
        self.logger = logger
        self.resolve = resolve
        let makeClient: ([NameOverride]) -> LoopTokenClient = { resolve in
            LoopTokenClient(
                loop: loop, connectTimeout: Self.connectTimeout, answerTimeout: Self.answerTimeout,
                overrides: AddressOverrides(resolve), avoiding: own, counting: names,
                correction: "correct tracing.endpoint",
                caFileRefused: { reason in
                    logger.warning(
                        "certificate authorities of the collector not replaced, the old ones are kept",
                        metadata: ["reason": "\(reason)"])
                })
        }
        self.makeClient = makeClient
        client = makeClient(resolve)
        let attributes = settings.attributes.map {
            "{\"key\":\(JSONText.quoted($0.key)),\"value\":{\"stringValue\":\(JSONText.quoted($0.value))}}"
        }
        opening = Array(
            ("{\"resourceSpans\":[{\"resource\":{\"attributes\":[\(attributes.joined(separator: ","))]},"
                + "\"scopeSpans\":[{\"scope\":{\"name\":\"attache\",\"version\":\(JSONText.quoted(ProgramVersion.number))},"
                + "\"spans\":[").utf8)
    }

    /// Whether a batch is on its way.
    var isSending: Bool {
        switch state {
        case .idle: false
        case .readingHeaders, .sending: true
        }
    }

    /// Takes the addresses of another configuration for further batches.
    func use(_ resolve: [NameOverride]) {
        guard resolve != self.resolve else { return }
        self.resolve = resolve
        client = makeClient(resolve)
    }

    /// Counts spans that did not fit.
    func dropped(_ count: Int) {
        counts.dropped += UInt64(count)
        unreportedCount += count
    }

    /// Sends a batch; none may be on its way.
    func send(_ spans: Span<UInt8>, count: Int) {
        precondition(!isSending, "a batch of spans is sent while another one is on its way")
        var body = opening
        body.reserveCapacity(opening.count + spans.count + Self.closing.count)
        body.append(copying: spans)
        body += Self.closing
        guard let file = settings.headersFile else { return post(body, [], count: count) }
        state = .readingHeaders(count: count)
        let finish: (Result<HeaderLines, CollectorHeaders.Problem>) -> Void = { [weak self] result in
            // Given up otherwise.
            guard let self, case .readingHeaders(let count) = state else { return }
            switch result {
            case .success(let lines): post(body, lines.fields, count: count)
            case .failure(let problem): ended(.lost(problem.message), count: count)
            }
        }
        FileThreads.shared.submit({ CollectorHeaders.read(file) }, for: loop, finish)
    }

    /// Calls `done` when no batch is on its way any more.
    func whenIdle(_ done: @escaping () -> Void) {
        if isSending { self.done = done } else { done() }
    }

    /// Gives up the batch on its way, and counts its spans and `count` gathered ones as dropped; none may follow.
    func giveUp(_ count: Int) {
        dropped(count)
        // The last report, so it does not wait for the end of the minute.
        nextReport = loop.now
        switch state {
        case .idle: if count > 0 { report("attache ended before it sent them") }
        case .readingHeaders(let sent): ended(.lost(Self.lateCollector), count: sent)
        case .sending(let sent, let request):
            ended(.lost(Self.lateCollector), count: sent)
            request.giveUp()
        }
    }

    private static let lateCollector = "the collector did not answer before the end of the drain; \(remedy)"

    private func post(_ body: [UInt8], _ fields: [(name: String, value: String)], count: Int) {
        let request = TokenRequest(
            .post, settings.endpoint, fields: [("Content-Type", "application/json")] + fields, body: body,
            caFile: settings.caFile)
        let pending = client.exchange(request) { [weak self] result in
            // Given up otherwise.
            guard let self, case .sending(let count, _) = state else { return }
            ended(outcome(of: result, count: count), count: count)
        }
        state = .sending(count: count, pending)
    }

    private func outcome(of result: Result<TokenResponse, TokenTransportError>, count: Int) -> Outcome {
        switch result {
        case .success(let response) where (200..<300).contains(response.status):
            .taken(ExportAnswer(response.body, of: count))
        case .success(let response): .lost("the collector answered \(response.status); \(Self.remedy)")
        case .failure(let error):
            .lost(error.saysWhatToDo ? error.message : "\(error.message); \(Self.remedy)")
        }
    }

    private func ended(_ outcome: Outcome, count: Int) {
        state = .idle
        switch outcome {
        case .lost(let reason):
            dropped(count)
            report(reason)
        case .taken(let answer):
            counts.sent += UInt64(count - answer.rejectedCount)
            dropped(answer.rejectedCount)
            guard answer.rejectedCount > 0 else { break }
            let message = answer.message.isEmpty ? "" : ": \(answer.message)"
            report("the collector rejected \(answer.rejectedCount) of \(count)\(message)")
        }
        let done = done.take()
        done?()
    }

    /// Logs a warning, at most once a minute.
    private func report(_ reason: String) {
        guard loop.now >= nextReport else { return }
        nextReport = loop.now.advanced(by: .seconds(60))
        logger.warning(
            "spans not sent",
            metadata: [
                "endpoint": "\(settings.endpoint)", "reason": "\(reason)",
                "dropped": .stringConvertible(unreportedCount),
            ])
        unreportedCount = 0
    }
}
