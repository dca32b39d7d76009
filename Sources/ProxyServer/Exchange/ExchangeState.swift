import EventTransport
import HTTPWire
import ProxyCore

/// The mutable state of an exchange, as one value (see `Confined`).
struct ExchangeState: ~Copyable {
    var machine = ExchangeStateMachine.awaitingHead
    var request = RequestForwarding()
    var response = ResponseForwarding()
    var record = ExchangeRecord()
    var summary = RequestSummary()
    var downstream: DownstreamConnection?
    var link = UpstreamLink.none
    /// Where the request goes, and what its route attaches; nil before routing.
    ///
    /// The credential goes to no other destination.
    var destination: Destination?
    /// How long the backend may take: a copy of the destination's timeouts, because each step reads them.
    var timeouts: BackendTimeouts
    /// The credential that the request waits for or carries.
    var credential: CredentialUse?
    /// The token that the request was sent with, or will be sent with next.
    var slot: CredentialTable.Slot?
    /// The nonce from a response to this request; another exchange's nonce may be valid only once.
    var ownNonce: String?
    /// Increases with every use, so that a late callback can recognise that it belongs to an earlier exchange.
    private(set) var serial: UInt64 = 0
    /// The `serial` of the last use for which Attaché decided whether to trace the request.
    private var sampledSerial: UInt64 = 0

    init(timeouts: BackendTimeouts) { self.timeouts = timeouts }

    /// Prepares the state for a new exchange on an app's connection.
    mutating func reset(for downstream: DownstreamConnection, at now: MonotonicInstant) {
        self.downstream = downstream
        machine = .awaitingHead
        serial &+= 1
        summary = RequestSummary()
        if ownNonce != nil { ownNonce = nil }
        request.reset()
        response.reset()
        record.reset(at: now)
    }

    /// Takes what the head of the request says.
    mutating func begin(_ head: borrowing RequestHead, in bytes: Span<UInt8>, isLogged: Bool) {
        summary.take(head)
        if isLogged { record.note(head, in: bytes) }
        request.begin(head)
    }

    mutating func take(_ destination: Destination) {
        self.destination = destination
        timeouts = destination.timeouts
        record.note(destination)
        summary.asksParent = destination.asksParent
    }

    /// The request needs a token of the destination's credential; `variant` is nil if it has one for all requests.
    mutating func attach(_ variant: CredentialVariant?, by destination: Destination, replayLimit: Int) {
        credential = CredentialUse(number: destination.credentialNumber, variant: variant)
        record.credential = destination.credentialNumber
        summary.refreshOn = destination.refreshOn
        summary.nonceUse = destination.provesPossession ? .repeated : .ignored
        request.keepBody(
            upTo: replayLimit, mayBeRefused: !destination.refreshOn.isNever || destination.provesPossession)
    }

    /// The number of the credential that the request needs; nil if it needs none.
    var credentialNumber: Int? { credential?.number }

    /// Whether the credential has several tokens, of which the request has chosen one.
    var hasVariant: Bool { credential?.variant != nil }

    /// Takes the chosen token if it is usable at that time.
    @inline(never)
    mutating func takeVariant(at now: MonotonicInstant) -> Bool { take(credential?.variant?.slot, at: now) }

    /// Takes the token of a credential if it is usable at that time.
    @inline(__always)
    mutating func take(_ found: CredentialTable.Slot?, at now: MonotonicInstant) -> Bool {
        guard let found, now < found.usableUntil else {
            slot = nil
            return false
        }
        slot = found
        return true
    }

    /// The request goes out over this connection.
    mutating func lease(_ connection: UpstreamConnection, at now: MonotonicInstant) {
        machine.upstreamAcquired()
        link = .leased(connection)
        record.noteSending(at: now)
    }

    /// Whether the connection to the backend has taken the whole request.
    var hasSentAll: Bool {
        switch link {
        case .leased(let connection): connection.stream.queuedByteCount == 0
        case .none, .connecting: false
        }
    }

    /// Whether the token is bound to a key, so that this sending needs a proof.
    var needsProof: Bool { slot?.needsProof ?? false }

    /// Prepares the head with the token for a connection, and with the lines of a trace if there are some.
    mutating func start(on stream: StreamConnection, traced lines: [UInt8]?, proof: String?, at now: MonotonicInstant) {
        if let slot { record.note(slot, at: now) }
        if let lines {
            request.start(on: stream, traced: lines, with: slot, proof: proof)
        } else {
            request.start(on: stream, with: slot, proof: proof)
        }
    }

    /// Adds what both messages were to the record.
    mutating func completeRecord() { record.note(received: request.receivedBodyByteCount, response.outcome) }

    /// The exchange sends nothing more.
    mutating func forgetDestination() {
        destination = nil
        credential = nil
        slot = nil
    }

    /// Forwards bytes from the backend as `summary` says, which a call from outside would have to copy.
    mutating func forwardResponse(
        _ bytes: Span<UInt8>, draining: Bool, limits: HeadLimits, fields: FieldLines, to stream: StreamConnection
    ) throws(MessageError) -> ResponseProgress {
        try response.forward(
            bytes, answering: summary, draining: draining, limits: limits, fields: fields, to: stream)
    }

    /// Whether it must still be decided whether to trace the request; false from the second call of an exchange on.
    ///
    /// A request inside a terminated tunnel begins twice.
    mutating func takeSampling() -> Bool {
        defer { sampledSerial = serial }
        return sampledSerial != serial
    }
}

extension Exchange {
    var serial: UInt64 { state.value.serial }

    var machine: ExchangeStateMachine {
        _read { yield state.value.machine }
        _modify { yield &state.value.machine }
    }

    var request: RequestForwarding {
        _read { yield state.value.request }
        _modify { yield &state.value.request }
    }

    var response: ResponseForwarding {
        _read { yield state.value.response }
        _modify { yield &state.value.response }
    }

    var record: ExchangeRecord {
        _read { yield state.value.record }
        _modify { yield &state.value.record }
    }

    var summary: RequestSummary {
        _read { yield state.value.summary }
        _modify { yield &state.value.summary }
    }

    var downstream: DownstreamConnection? {
        get { state.value.downstream }
        set { state.value.downstream = newValue }
    }

    var link: UpstreamLink {
        get { state.value.link }
        set { state.value.link = newValue }
    }

    /// The connection to the backend; nil where there is none yet, or none any more.
    var upstream: UpstreamConnection? { state.value.link.connection }

    var destination: Destination? {
        get { state.value.destination }
        set { state.value.destination = newValue }
    }

    var credential: CredentialUse? {
        get { state.value.credential }
        set { state.value.credential = newValue }
    }

    var ownNonce: String? {
        get { state.value.ownNonce }
        set { state.value.ownNonce = newValue }
    }

    var timeouts: BackendTimeouts {
        get { state.value.timeouts }
        set { state.value.timeouts = newValue }
    }

    var slot: CredentialTable.Slot? {
        get { state.value.slot }
        set { state.value.slot = newValue }
    }
}

/// What an exchange has of a connection to its backend.
enum UpstreamLink {
    case none
    /// A connection is being made.
    case connecting(ConnectAttempt)
    /// The connection is leased to the exchange.
    case leased(UpstreamConnection)

    var connection: UpstreamConnection? {
        switch self {
        case .leased(let connection): connection
        case .none, .connecting: nil
        }
    }
}
