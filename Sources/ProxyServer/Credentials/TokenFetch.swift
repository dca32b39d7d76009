import EventTransport
import HTTPWire
import TokenManager

/// One request to a token server on a connection of its own.
///
/// Confined to its loop; kept alive by its connection until `done` has been called, once.
final class TokenFetch: StreamDelegate {
    private let request: TokenRequest
    private let stream: StreamConnection
    private var done: ((Result<TokenResponse, TokenTransportError>) -> Void)?
    private var received: [UInt8] = []
    private var scanner = HeadScanner()
    private var answer: Answer?
    private var body: [UInt8] = []

    private struct Answer {
        var status: Int
        var retryAfter: String?
        var contentType: String?
        var decoder: BodyDecoder
    }

    /// An answer larger than this holds no token.
    private static let bodyLimit = 1 << 20
    private static let limits = HeadLimits()

    init(
        _ request: TokenRequest, over stream: StreamConnection, deadline: ContinuousClock.Instant,
        _ done: @escaping (Result<TokenResponse, TokenTransportError>) -> Void
    ) {
        self.request = request
        self.stream = stream
        self.done = done
        stream.deadline = deadline
    }

    func start() {
        stream.delegate = self
        stream.start()
        stream.write(serialized().span)
    }

    private func serialized() -> [UInt8] {
        var out: [UInt8] = []
        out.append(contentsOf: "POST \(request.url.path) HTTP/1.1\r\nHost: \(request.url.authority)\r\n".utf8)
        for field in request.fields { out.append(contentsOf: "\(field.name): \(field.value)\r\n".utf8) }
        out.append(contentsOf: "Content-Length: \(request.body.count)\r\nConnection: close\r\n\r\n".utf8)
        out.append(contentsOf: request.body)
        return out
    }

    func streamReceived(_ bytes: Span<UInt8>) {
        do throws(MessageError) {
            guard answer == nil else { return try read(bytes) }
            received.append(copying: bytes)
            while answer == nil {
                guard scanner.scan(received.span) || received.count > Self.limits.headBytes else { return }
                guard let head = try ResponseHead.parse(received.span, answering: .post, limits: Self.limits) else {
                    return
                }
                try take(head)
            }
        } catch {
            fail("its answer is not valid HTTP/1.1: \(error.reason)")
        }
    }

    private func take(_ head: ResponseHead) throws(MessageError) {
        let all = received
        received = []
        scanner = HeadScanner()
        let rest = all.span.extracting(head.byteCount...)
        guard head.status >= 200 else {
            received.append(copying: rest)
            return
        }
        func text(_ name: FieldName) -> String? {
            guard let field = head.fields.first(name) else { return nil }
            var bytes: [UInt8] = []
            bytes.append(copying: all.span, field.value)
            return String(decoding: bytes, as: UTF8.self)
        }
        answer = Answer(
            status: head.status, retryAfter: text(.retryAfter), contentType: text(.contentType),
            decoder: BodyDecoder(head.framing))
        try read(rest)
    }

    private func read(_ bytes: Span<UInt8>) throws(MessageError) {
        guard var answer else { return }
        var offset = 0
        while !answer.decoder.isComplete {
            let piece = try answer.decoder.next(in: bytes, at: &offset)
            guard case .data(let range) = piece else {
                if piece == .needMore { break }
                continue
            }
            body.append(copying: bytes.extracting(range))
            guard body.count <= Self.bodyLimit else { return fail("its answer is larger than 1 MiB") }
        }
        self.answer = answer
        if answer.decoder.isComplete { succeed(answer) }
    }

    func streamEnded() {
        guard var answer else { return fail("it closed the connection without an answer") }
        do throws(MessageError) {
            try answer.decoder.peerClosed()
            succeed(answer)
        } catch {
            fail("it closed the connection before its answer was whole")
        }
    }

    func streamDrained() {}

    func streamFailed(_ error: TransportError) { fail(error.message) }

    func streamDeadlinePassed() { fail("it did not answer in time") }

    private func succeed(_ answer: Answer) {
        end(
            .success(
                TokenResponse(
                    status: answer.status, retryAfter: answer.retryAfter, contentType: answer.contentType, body: body)))
    }

    private func fail(_ reason: String) {
        end(.failure(TokenTransportError(message: "token server \(request.url.authority): \(reason)")))
    }

    private func end(_ result: Result<TokenResponse, TokenTransportError>) {
        guard let done else { return }
        self.done = nil
        stream.close()
        done(result)
    }
}
