package import EventTransport
import HTTPWire

/// One request of Attaché's own, on its own connection: to a token server, to an admin listener, or in the
/// demonstration.
///
/// Confined to its loop. Its connection keeps it alive until `done` has been called, once.
package final class Fetch: StreamDelegate {
    /// A complete response.
    package struct Answer: Sendable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
        package var status: Int
        package var retryAfter: String?
        package var contentType: String?
        package var dpopNonce: String?
        package var rateLimitRemaining: String?
        package var rateLimitReset: String?
        package var date: String?
        /// The value of `WWW-Authenticate`.
        package var challenge: String?
        package var body: [UInt8] = []

        package var description: String { "\(status), \(body.count) bytes" }
        package var debugDescription: String { description }
        package var customMirror: Mirror { Mirror(self, children: ["status": status]) }
    }

    /// Why there is no response, as the rest of a sentence that begins with the server's name.
    package struct Failure: Error {
        package enum Kind: Equatable, Sendable {
            case cancelled, timedOut, malformed
            /// The server closed the connection before its response was complete.
            case closed
            case transport(TransportError)
        }

        package var reason: String
        package var kind: Kind

        package init(_ kind: Kind, reason: String) {
            self.kind = kind
            self.reason = reason
        }
    }

    private let stream: StreamConnection
    private var done: ((Result<Answer, Failure>) -> Void)?
    private var received: [UInt8] = []
    private var scanner = HeadScanner()
    private var answer: Answer?
    private var decoder = BodyDecoder(.none)
    /// Whether the answer is complete only with its body.
    private let wantsBody: Bool

    /// The largest body in bytes; no expected response is larger.
    private static let bodyLimit = 1 << 20
    private static let limits = HeadLimits()
    static let givenUp = "the request was cancelled"

    package init(
        over stream: StreamConnection, deadline: MonotonicInstant, wantsBody: Bool = true,
        _ done: @escaping (Result<Answer, Failure>) -> Void
    ) {
        self.stream = stream
        self.done = done
        self.wantsBody = wantsBody
        stream.deadline = deadline
    }

    /// Sends the request, which must ask the server to close after its response.
    package func send(_ request: [UInt8]) {
        stream.delegate = self
        stream.start()
        stream.write(request.span)
    }

    /// Ends the fetch without a response.
    func giveUp() { fail(.cancelled, Self.givenUp) }

    package func streamReceived(_ bytes: Span<UInt8>) {
        do throws(MessageError) {
            guard answer == nil else { return try read(bytes) }
            received.append(copying: bytes)
            guard scanner.scan(received.span) || received.count > Self.limits.headBytes else { return }
            scanner = HeadScanner()
            var all: [UInt8] = []
            swap(&all, &received)
            try readHeads(all.span)
        } catch {
            fail(.malformed, "its response is not valid HTTP/1.1: \(error.reason)")
        }
    }

    /// Skips interim heads, however many there are, and keeps the beginning of an incomplete one.
    private func readHeads(_ bytes: Span<UInt8>) throws(MessageError) {
        var offset = 0
        while true {
            let rest = bytes.extracting(offset...)
            guard let head = try ResponseHead.parse(rest, answering: .post, limits: Self.limits) else {
                received.append(copying: rest)
                return
            }
            guard head.status < 200 else { return try take(head, rest) }
            offset += head.byteCount
        }
    }

    private func take(_ head: ResponseHead, _ bytes: Span<UInt8>) throws(MessageError) {
        func text(_ field: FieldLine) -> String {
            var value: [UInt8] = []
            value.append(copying: bytes, field.value)
            return String(decoding: value, as: UTF8.self)
        }
        func text(_ name: FieldName) -> String? { head.fields.first(name).map(text) }
        func text(_ name: String) -> String? {
            for index in 0..<head.fields.count {
                let field = head.fields[index]
                if ASCII.equalsIgnoringCase(bytes, field.name, name) { return text(field) }
            }
            return nil
        }
        answer = Answer(
            status: head.status, retryAfter: text(.retryAfter), contentType: text(.contentType),
            dpopNonce: text(.dpopNonce), rateLimitRemaining: text("x-ratelimit-remaining"),
            rateLimitReset: text("x-ratelimit-reset"), date: text("date"), challenge: text("www-authenticate"))
        guard wantsBody else { return succeed() }
        decoder = BodyDecoder(head.framing)
        try read(bytes.extracting(head.byteCount...))
    }

    private func read(_ bytes: Span<UInt8>) throws(MessageError) {
        var offset = 0
        while !decoder.isComplete {
            switch try decoder.next(in: bytes, at: &offset) {
            case .data(let range):
                answer?.body.append(copying: bytes.extracting(range))
                if let size = answer?.body.count, size > Self.bodyLimit {
                    return fail(.malformed, "its response is larger than 1 MiB")
                }
            case .end: break
            case .needMore: return
            }
        }
        succeed()
    }

    package func streamEnded() {
        guard answer != nil else { return fail(.closed, "it closed the connection without a response") }
        do throws(MessageError) {
            try decoder.peerClosed()
            succeed()
        } catch {
            fail(.closed, "it closed the connection before its response was complete")
        }
    }

    package func streamBlocked() {}

    package func streamDrained() {}

    package func streamFailed(_ error: TransportError) { fail(.transport(error), error.message) }

    package func streamDeadlinePassed() { fail(.timedOut, "it did not answer in time") }

    private func succeed() {
        if let answer { end(.success(answer)) }
    }

    private func fail(_ kind: Failure.Kind, _ reason: String) { end(.failure(Failure(kind, reason: reason))) }

    private func end(_ result: Result<Answer, Failure>) {
        guard let done else { return }
        self.done = nil
        stream.close()
        done(result)
    }
}
