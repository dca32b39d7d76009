import EventTransport
import HTTPWire
import Locking
import ProxyCore
import TokenClient
import TokenManager

/// Tries the way to each token server before the first request to it, and compares its clock with this machine's.
///
/// It passes every request on, so that the token manager sees the same errors as in a running proxy.
final class ProbingTransport: TokenTransport {
    private let client: LoopTokenClient
    private let connector: LoopBound<Connector>
    private let loop: EventLoop
    private let timeout: Duration
    private let subject: Finding.Subject
    private let found = Locked(ServerProbe.Outcome())
    private let readings = Locked<[ClockReading]>([])
    private let unanswered = Locked(false)
    private let probed = Locked<Set<String>>([])

    init(
        _ client: LoopTokenClient, _ connector: Connector, loop: EventLoop, timeout: Duration, subject: Finding.Subject
    ) {
        self.client = client
        self.connector = LoopBound(connector, loop: loop)
        self.loop = loop
        self.timeout = timeout
        self.subject = subject
    }

    /// The steps so far, and what they say.
    var outcome: ServerProbe.Outcome { found.withLock { $0 } }

    /// What the servers' responses say about the time.
    var clocks: [ClockReading] { readings.withLock { $0 } }

    /// Whether the last token request may have reached its server, and no response came.
    var isUnanswered: Bool { unanswered.withLock { $0 } && outcome.isReached }

    func exchange(_ request: TokenRequest) async throws(TokenTransportError) -> TokenResponse {
        let server = "\(request.url.scheme.rawValue)://\(request.url.authority)"
        if probed.withLock({ $0.insert(server).inserted }) { await probe(request, server) }
        let clock = LoopClock(loop: loop)
        let sentAt = clock.unixTime
        unanswered.withLock { $0 = request.method == .post }
        let response = try await client.exchange(request)
        unanswered.withLock { $0 = false }
        if let difference = LoopClock(loop: loop).difference(of: response.date, sentAt: sentAt) {
            noteClock(difference, server)
        }
        return response
    }

    private func noteClock(_ difference: Double, _ server: String) {
        let reading = ClockReading(subject: subject, server: server, source: "Date", difference: difference)
        let isFirst = readings.withLock { readings in
            guard !readings.contains(where: { $0.server == server }) else { return false }
            readings.append(reading)
            return true
        }
        if isFirst { found.withLock { $0.checks.append(reading.check) } }
    }

    private func probe(_ request: TokenRequest, _ server: String) async {
        let loop = loop
        let outcome = await withCheckedContinuation { (continuation: CheckedContinuation<ServerProbe.Outcome, Never>) in
            loop.execute { [self] in
                client.findTarget(of: request) { [self] target in
                    begin(target, server) { continuation.resume(returning: $0) }
                }
            }
        }
        found.withLock {
            $0.checks += outcome.checks
            $0.findings += outcome.findings
        }
    }

    private func begin(
        _ target: Result<Connector.Target, TransportError>, _ server: String,
        _ done: @escaping (ServerProbe.Outcome) -> Void
    ) {
        switch target {
        case .success(let target):
            ServerProbe(
                subject: subject, server: server, target: target, connector: connector.value, timeout: timeout
            ).begin(at: Int64(LoopClock(loop: loop).unixTime), done)
        case .failure(let error):
            let check = DoctorCheck(
                subject: subject, server: server, step: .tls, result: .failed, detail: error.message)
            let finding = Finding(.tlsFailed, .error, of: subject, error.message)
            done(ServerProbe.Outcome(checks: [check], findings: [finding]))
        }
    }
}

extension LoopClock {
    /// Compares the time in a response with this machine's.
    ///
    /// - Parameters:
    ///   - date: The `Date`.
    ///   - sentAt: When the request was sent, in seconds since 1970.
    /// - Returns: The server's time minus this machine's, in seconds; nil without a readable `Date`.
    func difference(of date: String?, sentAt: Double) -> Double? {
        guard let date = date.flatMap({ RetryAfter.secondsSince1970($0) }) else { return nil }
        // A Date has whole seconds.
        let difference = Double(date) + 0.5 - (sentAt + unixTime) / 2
        return difference.magnitude < 2 ? 0 : difference
    }
}
