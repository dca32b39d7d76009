import EventTransport
import HTTPWire
import ProxyCore

/// The spans of one traced exchange: that of the request, and one for each time that it is sent.
///
/// Confined to the worker's loop.
final class ExchangeTrace {
    /// One way of the request to the backend, from the search for a connection on.
    struct Sending {
        let spanID: UInt64
        let startedAt: MonotonicInstant
        /// Nil until it ends; the last one ends with the exchange.
        var endedAt: MonotonicInstant?
        /// Why the request was sent again; nil for the last sending.
        var retry: Retry?
        /// The status of the response to this sending; 0 if none arrived.
        var status = 0
        /// The address at the other end; nil without a connection.
        var address: SocketAddress?
        var reusesConnection = false
    }

    /// The trace, with the span of the request.
    let span: TraceParent
    /// The span of the app; nil if the trace begins here.
    let parentSpanID: UInt64?
    let state: TraceState
    let method: Method
    /// The method as the app sent it.
    let methodName: [UInt8]
    let scheme: Scheme
    private(set) var sendings: [Sending] = []
    /// The backend; nil before routing.
    private(set) var origin: Origin?
    /// The path that the backend gets, as the inside of a JSON string.
    private(set) var upstreamPath = OutputBuffer()

    init(_ span: TraceParent, continuing parent: TraceParent?, _ head: borrowing RequestHead, in bytes: Span<UInt8>) {
        self.span = span
        parentSpanID = parent?.spanID
        // The entries belong to the trace that the request names; another one does not inherit them.
        state = parent == nil ? TraceState() : TraceState(of: head.fields, in: bytes)
        method = head.method
        var name: [UInt8] = []
        name.append(copying: bytes, head.methodName)
        methodName = name
        scheme =
            switch head.target {
            case .absolute(let scheme, _, _, _): scheme
            case .origin, .authority, .asterisk: .http
            }
    }

    /// Begins to look for a connection, or continues to.
    func sendingBegan(to origin: Origin, at now: MonotonicInstant, _ spanID: () -> UInt64) {
        self.origin = origin
        if let last = sendings.last, last.endedAt == nil { return }
        sendings.append(Sending(spanID: spanID(), startedAt: now))
    }

    /// The sending has a connection.
    func connected(over stream: StreamConnection, reused: Bool) {
        guard let last = sendings.indices.last else { preconditionFailure("a request was sent before it could be") }
        sendings[last].address = stream.peer
        sendings[last].reusesConnection = reused
    }

    /// The head goes to the backend.
    func sent(_ head: borrowing UpstreamRequestHead) {
        upstreamPath.removeAll()
        head.appendPathForLog(to: &upstreamPath)
    }

    /// The head of the final response to this sending has arrived.
    func answered(_ status: Int) {
        guard let last = sendings.indices.last else { preconditionFailure("a response came before a sending") }
        sendings[last].status = status
    }

    /// The request will be sent again; the sending ended at `now`.
    func sendingFailed(_ retry: Retry, at now: MonotonicInstant) {
        guard let last = sendings.indices.last else { preconditionFailure("a request is sent again that never was") }
        sendings[last].endedAt = now
        sendings[last].retry = retry
    }

    /// The lines that tell the backend of the newest sending: its span is the parent of the backend's.
    var lines: [UInt8] {
        guard let last = sendings.last else { preconditionFailure("a request without a sending was written") }
        let parent = TraceParent(
            traceID: span.traceID, spanID: last.spanID, isSampled: true, isRandom: span.isRandom)
        var out = OutputBuffer()
        out.append(text: "traceparent: ")
        parent.append(to: &out)
        out.append(text: "\r\n")
        let entries = state.bytes
        if !entries.isEmpty {
            out.append(text: "tracestate: ")
            out.append(copying: entries.span)
            out.append(text: "\r\n")
        }
        return out.withSpan { bytes in
            var copy: [UInt8] = []
            copy.append(copying: bytes)
            return copy
        }
    }
}
