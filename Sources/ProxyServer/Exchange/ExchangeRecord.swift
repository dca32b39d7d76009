import EventTransport
import HTTPWire
import ProxyCore
import TokenManager

/// The facts about one exchange for the access log and the metrics.
///
/// Its buffers are reused for the next exchange.
struct ExchangeRecord: ~Copyable {
    private(set) var startedAt = MonotonicInstant.distantFuture
    /// The client as a JSON string; empty if the listener does not know it.
    var client: [UInt8] = []
    /// The method and the target as the log's line has them: `GET","target":"http://…"`; empty before a head was read.
    ///
    /// Without the target's query, which may hold personal data.
    private(set) var request = OutputBuffer()
    /// The number of the route; nil if none matched.
    private(set) var route: Int?
    /// The number of the credential that was attached or awaited; nil if the request needs none.
    var credential: Int?
    /// The age of the token when the request was last sent, in nanoseconds; nil if none was attached.
    var tokenAge: Int64?
    /// How often the request was sent to the backend.
    private(set) var attempts = 0
    private var sentAt = MonotonicInstant.distantFuture
    /// The time from the last sending of the request to the head of its final response, in nanoseconds; nil before that.
    private(set) var upstreamTime: Int64?
    /// The code of the last challenge; empty if the backend sent none.
    var challenge: [UInt8] = []
    /// The name of the origin of this exchange or an earlier one, which often is the same.
    private(set) var upstreamName: UpstreamName?
    /// Whether the request has an upstream, whose name is `upstreamName`.
    private(set) var hasUpstream = false
    /// The response's status; 0 before a response begins.
    var status = 0
    private(set) var bytesReceived: UInt64 = 0
    var bytesSent: UInt64 = 0
    var error: ProxyError?
    /// Whether the app asked to switch to a protocol that is not forwarded.
    var hasDroppedUpgrade = false
    /// The facts that only chosen fields of the access log and spans need; nil if nobody needs them.
    var details: ExchangeDetails?

    /// Whether the log's line has members that few lines have.
    var isUnusual: Bool { error != nil || details != nil || hasDroppedUpgrade || !challenge.isEmpty }

    /// What the log's line has between the method and the target.
    static let targetOpening: StaticString = "\",\"target\":\""

    mutating func reset(at now: MonotonicInstant) {
        startedAt = now
        if !client.isEmpty { client = [] }
        request.removeAll(keepingAtMost: 4096)
        route = nil
        credential = nil
        tokenAge = nil
        attempts = 0
        upstreamTime = nil
        if !challenge.isEmpty { challenge = [] }
        hasUpstream = false
        status = 0
        bytesReceived = 0
        bytesSent = 0
        if error != nil { error = nil }
        hasDroppedUpgrade = false
    }

    /// The request is about to be sent over a connection.
    mutating func noteSending(at now: MonotonicInstant) {
        attempts += 1
        sentAt = now
        upstreamTime = nil
    }

    /// The head of the final response has arrived.
    mutating func noteResponse(at now: MonotonicInstant) { upstreamTime = now.nanoseconds(since: sentAt) }

    mutating func note(_ destination: Destination) {
        route = destination.route
        if upstreamName !== destination.upstreamName { upstreamName = destination.upstreamName }
        hasUpstream = true
    }

    /// The origin's name for the log; empty if the request was not sent to a backend.
    var upstream: [UInt8] { hasUpstream ? upstreamName?.text ?? [] : [] }

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
        request.append(text: Self.targetOpening)
        request.append(targetForLog: bytes, target)
        request.append(text: "\"")
    }

    mutating func note(_ head: borrowing RequestHead, in bytes: Span<UInt8>) {
        note(method: head.methodName, target: head.targetText, in: bytes)
    }
}

/// The credential of an exchange, and the backend's challenge to it.
extension ExchangeRecord {
    /// The length of the longest error code or scheme that is noted, in bytes; those registered by RFCs have at most
    /// 30.
    private static let challengeLimit = 32

    /// Notes the token that the request is about to be sent with.
    mutating func note(_ slot: CredentialTable.Slot, at now: MonotonicInstant) {
        tokenAge = max(0, now.nanoseconds(since: slot.obtainedAt))
    }

    /// Notes the code of the backend's challenge; `sent` is the credential that the backend refused, nil if none was
    /// sent.
    ///
    /// A backend may repeat a token in its challenge. So a code is noted only if it consists of letters, `_` and `-`
    /// and is no part of the credential.
    mutating func note(challenge: [UInt8], to sent: AuthorizationHeader?) {
        let token = sent?.value.split(separator: " ").last.map { Array($0.utf8) } ?? []
        let repeatsToken = Self.contains(challenge, token) || Self.contains(token, challenge)
        let isWord = challenge.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "_"),
                UInt8(ascii: "-"):
                true
            default: false
            }
        }
        self.challenge = isWord && challenge.count <= Self.challengeLimit && !repeatsToken ? challenge : []
    }

    private static func contains(_ text: [UInt8], _ part: [UInt8]) -> Bool {
        guard !part.isEmpty, text.count >= part.count else { return false }
        return (0...(text.count - part.count)).contains { text[$0...].starts(with: part) }
    }
}

extension ExchangeRecord {
    /// Notes the method and target of a head that was refused or incomplete, without anything that could be a secret.
    ///
    /// Notes the method only if it is in capital letters. Notes the target without its query, and only if it is
    /// complete and contains no `@`, which a password may precede.
    mutating func note(refused bytes: Span<UInt8>) {
        var start = 0
        while start < bytes.count, start < 2, bytes[start] == ASCII.carriageReturn || bytes[start] == ASCII.lineFeed {
            start += 1
        }
        let methodEnd = Self.end(of: bytes, from: start) { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) }
        guard methodEnd > start, methodEnd - start <= 20, methodEnd < bytes.count, bytes[methodEnd] == ASCII.space
        else {
            return
        }
        let targetStart = methodEnd + 1
        let targetEnd = Self.end(of: bytes, from: targetStart) { (0x21...0x7e).contains($0) }
        let isWhole = targetEnd < bytes.count && bytes[targetEnd] == ASCII.space
        var shownEnd = targetStart
        while shownEnd < targetEnd, bytes[shownEnd] != UInt8(ascii: "?"), bytes[shownEnd] != UInt8(ascii: "#") {
            shownEnd += 1
        }
        let target = bytes.extracting(targetStart..<shownEnd)
        let isShown = isWhole && target.indices.allSatisfy { target[$0] != UInt8(ascii: "@") }
        note(
            method: ByteRange(start, methodEnd), target: ByteRange(targetStart, isShown ? shownEnd : targetStart),
            in: bytes)
    }

    private static func end(of bytes: Span<UInt8>, from start: Int, _ isPart: (UInt8) -> Bool) -> Int {
        var index = start
        while index < bytes.count, isPart(bytes[index]) { index += 1 }
        return index
    }
}
