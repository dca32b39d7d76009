import EventTransport
import TokenManager

/// Carries the token manager's requests to the token servers, over the transport of one loop.
///
/// A fetch is rare, so each has a connection of its own, which closes behind it.
final class TokenClient: TokenTransport {
    /// Whom a connection trusts, and as whom it comes.
    private struct Trust: Hashable {
        let caFile: String?
        let certificate: PresentedCertificate?
    }

    /// What is confined to the loop.
    private final class Connections {
        let connector: Connector
        private var contexts: [Trust: TLSContext] = [:]
        /// How to give up each request under way.
        private var running: [Int: () -> Void] = [:]
        private var lastNumber = 0

        private static let mostContexts = 256

        init(loop: EventLoop) { connector = Connector(loop: loop) }

        func begin() -> Int {
            lastNumber += 1
            return lastNumber
        }

        func running(_ number: Int, _ giveUp: @escaping () -> Void) { running[number] = giveUp }

        func ended(_ number: Int) { running[number] = nil }

        func giveUpAll() {
            for giveUp in Array(running.values) { giveUp() }
        }

        func context(for request: TokenRequest) throws(TransportError) -> TLSContext {
            let key = Trust(caFile: request.caFile, certificate: request.clientCertificate)
            if let context = contexts[key] { return context }
            let identity = key.certificate.map { TLSIdentity(chain: $0.chain, privateKey: $0.privateKey) }
            let context = try TLSContext(caFile: key.caFile, identity: identity)
            // Certificates come and go in a long life; a new context costs no more than a full handshake.
            if contexts.count >= Self.mostContexts { contexts.removeAll() }
            contexts[key] = context
            return context
        }
    }

    private let loop: EventLoop
    private let connections: LoopBound<Connections>
    private let connectTimeout: Duration
    private let answerTimeout: Duration

    init(loop: EventLoop, connectTimeout: Duration, answerTimeout: Duration) {
        self.loop = loop
        self.connectTimeout = connectTimeout
        self.answerTimeout = answerTimeout
        connections = LoopBound(Connections(loop: loop), loop: loop)
    }

    func exchange(_ request: TokenRequest) async throws(TokenTransportError) -> TokenResponse {
        let result = await withCheckedContinuation { continuation in
            loop.execute { [self] in fetch(request) { continuation.resume(returning: $0) } }
        }
        return try result.get()
    }

    private func fetch(
        _ request: TokenRequest, _ done: @escaping (Result<TokenResponse, TokenTransportError>) -> Void
    ) {
        let connections = connections.value
        let tls: TLSContext?
        do throws(TransportError) {
            tls = request.url.scheme == .https ? try connections.context(for: request) : nil
        } catch {
            done(.failure(TokenTransportError(error)))
            return
        }
        let target = Connector.Target(host: request.url.host, port: request.url.port, tls: tls)
        let (loop, answerTimeout, number) = (loop, answerTimeout, connections.begin())
        let finish: (Result<TokenResponse, TokenTransportError>) -> Void = { result in
            connections.ended(number)
            done(result)
        }
        let attempt = connections.connector.connect(to: target, timeout: connectTimeout) { result in
            switch result {
            case .success(let stream):
                let fetch = Fetch(over: stream, deadline: loop.now.advanced(by: answerTimeout)) { answer in
                    finish(answer.map(TokenResponse.init).mapError { TokenTransportError(message: $0.reason) })
                }
                connections.running(number) { fetch.giveUp() }
                fetch.send(Self.serialized(request))
            case .failure(let error):
                finish(.failure(TokenTransportError(error)))
            }
        }
        connections.running(number) {
            attempt.cancel()
            finish(.failure(TokenTransportError(message: "the proxy stopped")))
        }
    }

    /// Gives up what is under way; on the loop's thread.
    func stop() { connections.value.giveUpAll() }

    private static func serialized(_ request: TokenRequest) -> [UInt8] {
        var out = Array(
            "\(request.method.rawValue) \(request.url.path) HTTP/1.1\r\nHost: \(request.url.authority)\r\n".utf8)
        for field in request.fields { out.append(contentsOf: "\(field.name): \(field.value)\r\n".utf8) }
        if request.method == .post { out.append(contentsOf: "Content-Length: \(request.body.count)\r\n".utf8) }
        out.append(contentsOf: "Connection: close\r\n\r\n".utf8)
        out.append(contentsOf: request.body)
        return out
    }
}

extension TokenResponse {
    fileprivate init(_ answer: Fetch.Answer) {
        self.init(
            status: answer.status, retryAfter: answer.retryAfter, contentType: answer.contentType,
            dpopNonce: answer.dpopNonce, body: answer.body)
    }
}

extension TokenTransportError {
    fileprivate init(_ error: TransportError) {
        self.init(
            message: error.message, isLocal: error.kind == .descriptorLimit,
            saysWhatToDo: error.kind == .tlsVerification || error.kind == .tlsConfiguration)
    }
}
