import HTTPWire
import Logging
import ProxyCore
import Synchronization

/// Logs the decisions about each request at the level debug, one line for each.
///
/// Absent at every other level, so that a decision then costs one comparison. All workers share one.
final class DecisionLog: Sendable {
    /// A decision; the raw value is the message of its line.
    enum Decision: String {
        case requestReceived = "request received"
        case routeChosen = "route chosen"
        case noCredentialAttached = "no credential attached"
        case credentialAwaited = "credential awaited"
        case credentialAttached = "credential attached"
        case tokenRefused = "token refused"
        case tokenKept = "token kept"
        case refusalNotCounted = "refusal not counted"
        case connectionReused = "connection reused"
        case connectionOpened = "connection opened"
        case tunnelOpened = "tunnel opened"
        case upgradeDropped = "upgrade dropped"
        case tunnelTerminated = "tunnel terminated"
        case requestSentAgain = "request sent again"
        case requestRefused = "request refused"
        case requestFailed = "request failed"
        case responseCut = "response cut"
    }

    private let logger: Logger
    private let lastNumber = Atomic<UInt64>(0)

    /// Nil unless the log shows debug messages.
    init?(_ logger: Logger) {
        guard logger.logLevel <= .debug else { return nil }
        self.logger = logger
    }

    /// The number of a new request, which each of its lines carries as `request`.
    func nextNumber() -> UInt64 { lastNumber.add(1, ordering: .relaxed).newValue }

    /// Logs a decision about the request of `exchange`; `facts` holds no secret and no token.
    func note(_ decision: Decision, _ exchange: Exchange, _ facts: [String: String] = [:]) {
        var metadata = facts.mapValues { Logger.Metadata.Value.string($0) }
        metadata["request"] = .stringConvertible(exchange.number)
        logger.debug(Logger.Message(stringLiteral: decision.rawValue), metadata: metadata)
    }

    /// Notes the method and the target without its query, which may hold a secret.
    func received(_ exchange: Exchange, _ head: borrowing RequestHead, in bytes: Span<UInt8>) {
        let target = Self.text(head.targetText, in: bytes).prefix { $0 != "?" }
        note(
            .requestReceived, exchange,
            ["method": Self.text(head.methodName, in: bytes), "target": String(target)])
    }

    func attached(_ exchange: Exchange, _ name: String) {
        var facts = ["credential": name]
        if let age = exchange.record.tokenAge { facts["tokenAge"] = "\(age / 1_000_000_000) s" }
        note(.credentialAttached, exchange, facts)
    }

    /// Notes the refusal of a token by the backend; `next` is what Attaché does about it.
    func tokenRefused(_ exchange: Exchange, _ name: String, next: String) {
        var facts = ["credential": name, "next": next]
        let challenge = exchange.record.challenge
        if !challenge.isEmpty { facts["challenge"] = String(decoding: challenge, as: UTF8.self) }
        note(.tokenRefused, exchange, facts)
    }

    /// Notes a 401 that is passed to the app without another token; `why` says why it does not count as a refusal.
    func notCounted(_ exchange: Exchange, _ name: String, why: String) {
        var facts = ["credential": name, "status": "401", "why": why]
        let challenge = exchange.record.challenge
        if !challenge.isEmpty { facts["challenge"] = String(decoding: challenge, as: UTF8.self) }
        note(.refusalNotCounted, exchange, facts)
    }

    /// Notes that Attaché answers a request itself: as refused if the app can change the cause, else as failed.
    func answered(_ exchange: Exchange, _ error: ProxyError, status: Int) {
        failed(status < 500 ? .requestRefused : .requestFailed, exchange, error)
    }

    /// Notes that Attaché answers a request itself, or cuts its response.
    func failed(_ decision: Decision, _ exchange: Exchange, _ error: ProxyError) {
        note(decision, exchange, ["code": "\(error.code)", "reason": error.detail])
    }

    private static func text(_ range: ByteRange, in bytes: Span<UInt8>) -> String {
        var copy: [UInt8] = []
        copy.append(copying: bytes, range)
        return String(decoding: copy, as: UTF8.self)
    }
}
