import EventTransport
import HTTPWire
import ProxyCore

/// The facts about one exchange that only chosen fields of the access log and spans need.
///
/// Absent from the record while no such field is chosen and the request is not traced, so that a request then costs one
/// comparison at each event. Confined to the worker's loop.
final class ExchangeDetails {
    /// What became of the credential; the raw value is the word in the log.
    enum CredentialOutcome: String {
        /// Sent from the cache.
        case attached
        /// Sent after the request had waited for it.
        case fetched
        /// Refused by the backend; the request was sent again with another token.
        case replaced
        /// Refused by the backend; the refusal went to the app.
        case refused
        /// No token was there in the end.
        case failed
        /// The app sent its own, which the route keeps.
        case own
    }

    /// The client's IP address and port; nil for a Unix socket.
    private(set) var clientAddress: SocketAddress?
    /// The parts of the target as the insides of JSON strings.
    private(set) var authority = OutputBuffer()
    private(set) var path = OutputBuffer()
    private(set) var query = OutputBuffer()
    private(set) var traceID: TraceID?
    /// The spans; nil if the request is not traced.
    var trace: ExchangeTrace?
    var credentialOutcome: CredentialOutcome?
    /// The address at the other end of the last connection to the backend, or to its parent proxy.
    private(set) var upstreamAddress: SocketAddress?
    /// Whether the request went over a connection that was open before; nil if it was never sent.
    private(set) var reusesConnection: Bool?
    /// How long the request waited for tokens and for connections, in nanoseconds; nil if it never did.
    private(set) var credentialWait: Int64?
    private(set) var connectWait: Int64?
    /// When the first byte of a response arrived.
    private(set) var firstByteAt: MonotonicInstant?
    /// What the request waits for, and since when; nil if it does not.
    private var wait: (for: Awaited, since: MonotonicInstant)?

    enum Awaited {
        case credential
        case connection
    }

    /// Begins another exchange.
    func reset(for client: SocketAddress?) {
        clientAddress = client
        authority.removeAll(keepingAtMost: 4096)
        path.removeAll(keepingAtMost: 4096)
        query.removeAll(keepingAtMost: 4096)
        traceID = nil
        trace = nil
        credentialOutcome = nil
        upstreamAddress = nil
        reusesConnection = nil
        (credentialWait, connectWait) = (nil, nil)
        (firstByteAt, wait) = (nil, nil)
    }

    /// Notes the parts of a request's head.
    func note(_ head: borrowing RequestHead, in bytes: Span<UInt8>) {
        authority.removeAll()
        path.removeAll()
        query.removeAll()
        traceID = trace?.span.traceID ?? TraceFields.parent(of: head.fields, in: bytes)?.traceID
        let named: ByteRange
        switch head.target {
        case .authority: named = head.targetText
        case .absolute, .origin, .asterisk: named = head.namedAuthority()
        }
        authority.append(targetForLog: bytes, named)
        guard let whole = Self.pathWithQuery(of: head) else { return }
        path.append(targetForLog: bytes, whole)
        if path.isEmpty { path.append(UInt8(ascii: "/")) }
        var mark = whole.lowerBound
        while mark < whole.upperBound, bytes[mark] != UInt8(ascii: "?") { mark += 1 }
        guard mark < whole.upperBound else { return }
        // A query may hold further question marks, at which a target in the log would end.
        var start = mark + 1
        for index in start..<whole.upperBound where bytes[index] == UInt8(ascii: "?") {
            query.append(targetForLog: bytes, ByteRange(start, index))
            query.append(UInt8(ascii: "?"))
            start = index + 1
        }
        query.append(targetForLog: bytes, ByteRange(start, whole.upperBound))
    }

    private static func pathWithQuery(of head: borrowing RequestHead) -> ByteRange? {
        switch head.target {
        case .origin(let path): path
        case .absolute(_, _, _, let path): path
        case .asterisk: head.targetText
        case .authority: nil
        }
    }

    // MARK: - Phases

    func waitBegan(for awaited: Awaited, at now: MonotonicInstant) { wait = (awaited, now) }

    /// Counts the time of a wait, if the request waits.
    func waitEnded(at now: MonotonicInstant) {
        guard let (awaited, since) = wait.take() else { return }
        let time = max(0, now.nanoseconds(since: since))
        switch awaited {
        case .credential: credentialWait = (credentialWait ?? 0) + time
        case .connection: connectWait = (connectWait ?? 0) + time
        }
    }

    /// The request is sent over a connection.
    func sent(over stream: StreamConnection, reused: Bool) {
        upstreamAddress = stream.peer
        reusesConnection = reused
    }

    /// A head of a response has arrived; that of the request sent again takes its place.
    func responseBegan(at now: MonotonicInstant) { firstByteAt = now }
}

/// The facts that only chosen fields of the access log and spans need, as the exchange learns them.
extension Exchange {
    /// Whether the record has details: of every request if the access log needs them, and otherwise of a traced one.
    ///
    /// Every event asks this before it calls one of these functions.
    var hasDetails: Bool { observes && state.value.record.details != nil }

    @inline(never)
    func prepareDetails(for downstream: DownstreamConnection) {
        let details = state.value.record.details ?? ExchangeDetails()
        details.reset(for: downstream.stream.peer)
        state.value.record.details = details
    }

    @inline(never)
    func noteOutcome(_ outcome: ExchangeDetails.CredentialOutcome) {
        state.value.record.details?.credentialOutcome = outcome
    }

    /// The request begins to wait for a token; `outcome` is what becomes of the credential if none comes.
    @inline(never)
    func noteCredentialAwaited(else outcome: ExchangeDetails.CredentialOutcome) {
        guard let details = state.value.record.details else { return }
        details.waitBegan(for: .credential, at: loop.now)
        details.credentialOutcome = outcome
    }

    /// The token that the request waited for is there.
    @inline(never)
    func noteArrival(_ outcome: ExchangeDetails.CredentialOutcome) {
        guard let details = state.value.record.details else { return }
        details.waitEnded(at: loop.now)
        details.credentialOutcome = outcome
    }

    @inline(never)
    func noteConnectionAwaited() {
        state.value.record.details?.waitBegan(for: .connection, at: loop.now)
        traceSending()
    }

    /// What the request waited for will not come, or not any more.
    @inline(never)
    func noteWaitEnd() { state.value.record.details?.waitEnded(at: loop.now) }

    @inline(never)
    func noteSending(over connection: UpstreamConnection) {
        guard let details = state.value.record.details else { return }
        details.waitEnded(at: loop.now)
        traceSending()
        details.trace?.connected(over: connection.stream, reused: connection.isReused)
        details.sent(over: connection.stream, reused: connection.isReused)
        if slot != nil, details.credentialOutcome == nil { details.credentialOutcome = .attached }
    }

    @inline(never)
    func noteFirstByte() {
        guard let details = state.value.record.details else { return }
        details.responseBegan(at: loop.now)
        if let trace = details.trace, let status = state.value.response.arrivedStatus { trace.answered(status) }
    }
}
