import EventTransport
import HTTPWire
import Logging
import ProxyConfiguration
import ProxyCore
import Signing
import TokenClient
import TokenManager

/// Traces the requests of one worker: begins their spans, gathers those that have ended, and hands them over in batches.
///
/// Confined to the worker's loop. No request waits for it: spans that do not fit are dropped and counted.
final class Tracer {
    private struct State: ~Copyable {
        var sampler: TraceSampler
        var spans = SpanText()
    }

    private let state: Confined<State>
    private let exporter: SpanExporter
    private let loop: EventLoop
    private var routes: [[UInt8]] = []
    private var credentials: [[UInt8]] = []
    private lazy var timer = Timer(loop: loop) { [unowned self] in flush() }
    /// What to add to an instant's nanoseconds for the time since 1970; the same for all spans of a batch.
    private var unixTime: Int64 = 0

    /// As in OpenTelemetry's batch processor.
    private static let batchTime: Duration = .seconds(5)
    private static let batchCount = 512
    private static let mostCount = 2048
    /// A span may have some 120 KB, because a path may be as long as a head.
    private static let batchBytes = 1 << 20
    private static let mostBytes = 4 << 20

    init(
        _ settings: TracingConfiguration, resolve: [NameOverride], avoiding own: OwnIdentity, loop: EventLoop,
        names: NameCounts, logger: Logger
    ) {
        self.loop = loop
        exporter = SpanExporter(
            settings, resolve: resolve, avoiding: own, loop: loop, names: names, logger: logger)
        let sampler = TraceSampler(ratio: settings.sampleRatio, seed: (Self.randomNumber, Self.randomNumber))
        state = Confined(State(sampler: sampler))
    }

    private static var randomNumber: UInt64 { SecureRandom.bytes(8).reduce(0) { $0 << 8 | UInt64($1) } }

    var counts: SpanCounts { exporter.counts }

    /// Learns the names of routes and credentials, by number.
    func learn(routes: [String], credentials: [String]) {
        self.routes = routes.map { Array(JSONText.quoted($0).utf8) }
        self.credentials = credentials.map { Array(JSONText.quoted($0).utf8) }
    }

    /// Takes the addresses of another configuration for the collector's name.
    func use(_ resolve: [NameOverride]) { exporter.use(resolve) }

    /// The spans of a request; nil if it is not traced.
    func trace(_ head: borrowing RequestHead, in bytes: Span<UInt8>) -> ExchangeTrace? {
        let parent = TraceFields.parent(of: head.fields, in: bytes)
        guard let span = state.value.sampler.trace(continuing: parent) else { return nil }
        return ExchangeTrace(span, continuing: parent, head, in: bytes)
    }

    /// The identifier of another span.
    func spanID() -> UInt64 { state.value.sampler.spanID() }

    /// Takes the spans of an exchange that has ended.
    func ended(
        _ trace: ExchangeTrace, _ details: ExchangeDetails, _ record: borrowing ExchangeRecord, at now: MonotonicInstant
    ) {
        let count = state.value.spans.spanCount
        let added = 1 + trace.sendings.count
        guard count + added <= Self.mostCount, state.value.spans.byteCount < Self.mostBytes else {
            return exporter.dropped(added)
        }
        if count == 0 {
            let clock = LoopClock(loop: loop)
            unixTime = Int64(clock.unixTime * 1_000_000_000) - MonotonicInstant.now.nanoseconds
            timer.schedule(after: Self.batchTime)
        }
        let names = (route: record.route.map { routes[$0] }, credential: record.credential.map { credentials[$0] })
        state.value.spans.append(trace, details, record, endedAt: now, names: names, unixTime: unixTime)
        if count + added >= Self.batchCount || state.value.spans.byteCount >= Self.batchBytes { flush() }
    }

    /// Hands over the gathered spans, unless a batch is still on its way.
    private func flush() {
        let count = state.value.spans.spanCount
        guard count > 0 else { return }
        guard !exporter.isSending else { return timer.schedule(after: Self.batchTime) }
        timer.cancel()
        state.value.spans.out.withSpan { exporter.send($0, count: count) }
        state.value.spans.removeAll(keepingAtMost: Self.batchBytes)
    }

    /// Sends what is gathered, behind a batch that is on its way, and calls `done` after it, or when the time for it is over.
    func finish(_ done: @escaping () -> Void) {
        let limit = Timer(loop: loop) { [self] in giveUp() }
        limit.schedule(after: Self.finishTime)
        exporter.whenIdle { [self] in
            flush()
            exporter.whenIdle {
                limit.cancel()
                done()
            }
        }
    }

    /// Drops all spans that the collector has not taken.
    func giveUp() {
        let count = state.value.spans.spanCount
        state.value.spans.removeAll(keepingAtMost: 0)
        exporter.giveUp(count)
    }

    /// A drain waits so long for the collector.
    private static let finishTime: Duration = .seconds(2)
}
