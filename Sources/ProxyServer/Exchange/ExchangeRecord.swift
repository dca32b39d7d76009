import EventTransport
import HTTPWire
import ProxyCore

/// The facts about one exchange for the access log and the metrics.
///
/// Its buffers are reused for the next exchange.
struct ExchangeRecord: ~Copyable {
    private(set) var startedAt = MonotonicInstant.distantFuture
    private(set) var method = OutputBuffer()
    /// The target without its query, which may hold personal data.
    private(set) var target = OutputBuffer()
    /// The index of the route; nil if none matched.
    private(set) var route: Int?
    /// The index of the credential that was attached or awaited; nil if the request needs none.
    var credential: Int?
    /// The age of the token when the request was last sent, in nanoseconds; nil if none was attached.
    var tokenAge: Int64?
    /// How often the request was sent to the backend.
    var attempts = 0
    /// The code of the last challenge; empty if the backend sent none.
    var challenge: [UInt8] = []
    /// The origin's name for the log; empty if the request was not sent to a backend.
    private(set) var upstream: [UInt8] = []
    /// The response's status; 0 before a response begins.
    var status = 0
    private(set) var bytesReceived: UInt64 = 0
    var bytesSent: UInt64 = 0
    var error: ProxyError?

    mutating func reset(at now: MonotonicInstant) {
        startedAt = now
        method.removeAll()
        target.removeAll(keepingAtMost: 4096)
        route = nil
        credential = nil
        tokenAge = nil
        attempts = 0
        if !challenge.isEmpty { challenge = [] }
        upstream = []
        status = 0
        bytesReceived = 0
        bytesSent = 0
        error = nil
    }

    mutating func note(_ destination: Destination) {
        route = destination.routeIndex
        upstream = destination.endpoint.logName
    }

    /// Notes the route that would serve a refused request.
    mutating func noteRefused(route: Int?) { self.route = route }

    /// Adds the byte counts and the status of the messages; a response of Attaché's own has set the status before.
    mutating func note(received: UInt64, _ outcome: ResponseForwarding.Outcome) {
        if status == 0 { status = outcome.status }
        bytesReceived = received
        bytesSent += outcome.sentByteCount
    }

    /// Sets an earlier start, for a head that timed out before it was complete.
    mutating func began(at instant: MonotonicInstant) { startedAt = instant }

    mutating func note(method: Span<UInt8>, target: Span<UInt8>) {
        self.method.append(copying: method)
        self.target.append(copying: target)
    }

    mutating func note(_ head: borrowing RequestHead, in bytes: Span<UInt8>) {
        method.append(copying: bytes, head.methodName)
        target.append(copying: bytes, head.targetWithoutQuery(in: bytes))
    }
}
