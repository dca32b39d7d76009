import EventTransport
import HTTPWire
import ProxyCore

/// The facts about one exchange for the access log and the metrics.
///
/// Its buffers are reused for the next exchange.
struct ExchangeRecord: ~Copyable {
    private(set) var startedAt = MonotonicInstant.distantFuture
    /// The method and the target as the log's line has them: `GET","target":"http://…"`; empty before a head was read.
    ///
    /// Without the target's query, which may hold personal data.
    private(set) var request = OutputBuffer()
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
    /// Whether the app asked to switch to a protocol that is not forwarded.
    var hasDroppedUpgrade = false

    mutating func reset(at now: MonotonicInstant) {
        startedAt = now
        request.removeAll(keepingAtMost: 4096)
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
        hasDroppedUpgrade = false
    }

    mutating func note(_ destination: Destination) {
        route = destination.routeIndex
        upstream = destination.endpoint.logName
    }

    /// Notes the route of a request that it does not serve: it refuses the request, or terminates its tunnel.
    mutating func note(route: Int?) { self.route = route }

    /// Forgets the method and the target, which are noted again.
    mutating func forgetHead() { request.removeAll() }

    /// Adds the byte counts and the status of the messages; a response of Attaché's own has set the status before.
    mutating func note(received: UInt64, _ outcome: ResponseForwarding.Outcome) {
        if status == 0 { status = outcome.status }
        bytesReceived = received
        bytesSent += outcome.sentByteCount
    }

    /// Adds the byte counts of a tunnel.
    mutating func note(tunnelled received: UInt64, _ sent: UInt64) {
        bytesReceived = received
        bytesSent += sent
    }

    /// Sets an earlier start, for a head that timed out before it was complete.
    mutating func began(at instant: MonotonicInstant) { startedAt = instant }

    /// Notes the method, which is a token and needs no escapes, and the target in ranges of `bytes`.
    mutating func note(method: ByteRange, target: ByteRange, in bytes: Span<UInt8>) {
        request.append(copying: bytes, method)
        request.append(text: "\",\"target\":\"")
        request.append(targetForLog: bytes, target)
        request.append(text: "\"")
    }

    mutating func note(_ head: borrowing RequestHead, in bytes: Span<UInt8>) {
        note(method: head.methodName, target: head.targetText, in: bytes)
    }
}
