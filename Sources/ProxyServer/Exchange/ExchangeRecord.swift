import EventTransport
import HTTPWire
import ProxyCore

/// What is known of one exchange at its end, for the access log and the metrics.
///
/// Its buffers are reused from exchange to exchange.
struct ExchangeRecord: ~Copyable {
    private(set) var startedAt = MonotonicInstant.distantFuture
    private(set) var method = OutputBuffer()
    /// The target without its query, which may hold what is nobody's business.
    private(set) var target = OutputBuffer()
    /// The index of the route; nil where none was found.
    private(set) var route: Int?
    /// The index of the credential that was attached or waited for; nil where the request needs none.
    var credential: Int?
    /// How old the token was when the request was sent last, in nanoseconds; nil where none was attached.
    var tokenAge: Int64?
    /// How often the request was given to a connection to the backend.
    var attempts = 0
    /// The code of the last challenge; empty where the backend sent none.
    var challenge: [UInt8] = []
    /// The origin's name as it is logged; empty where the request went nowhere.
    private(set) var upstream: [UInt8] = []
    /// 0 until there is one.
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

    /// Adds what has become of the messages; an answer of our own has set its status before.
    mutating func note(received: UInt64, _ outcome: ResponseForwarding.Outcome) {
        if status == 0 { status = outcome.status }
        bytesReceived = received
        bytesSent += outcome.sentByteCount
    }

    /// Begins earlier than at the head's end, for one that took its time and did not come whole.
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
