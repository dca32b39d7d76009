package import EventTransport
package import Signing
package import TokenManager

/// Sends a token manager's requests to the token servers, and batches of spans to a collector, with the transport of one loop.
///
/// Both are rare, so each has its own connection, which closes after it.
package final class LoopTokenClient: TokenTransport {
    /// The authorities that a connection trusts, and the certificate that it presents.
    private struct Trust: Hashable {
        let authorities: TrustedAuthorities?
        let certificate: PresentedCertificate?
    }

    /// The part that is confined to the loop.
    private final class Connections {
        let connector: Connector
        let parent: FindParent
        let via: [UInt8]
        let authorities: TokenServerAuthorities
        private var contexts: [Trust: TLSContext] = [:]

        private static let mostContexts = 256

        init(
            loop: EventLoop, overrides: AddressOverrides, own: OwnIdentity?, names: NameCounts,
            parent: @escaping FindParent, caFileRefused: @escaping TokenServerAuthorities.Refused
        ) {
            self.parent = parent
            via = own?.via ?? []
            connector = Connector(loop: loop, overrides: overrides, avoiding: own, counting: names)
            authorities = TokenServerAuthorities(loop: loop, refused: caFileRefused)
        }

        /// Where a request leads, once the file of its authorities has been read.
        func target(
            for request: TokenRequest, trusting authorities: TrustedAuthorities?
        ) -> Result<Connector.Target, TransportError> {
            do throws(TransportError) {
                let tls = request.url.scheme == .https ? try context(for: request, trusting: authorities) : nil
                return .success(
                    Connector.Target(
                        host: request.url.host, port: request.url.port, tls: tls, parent: parent(request.url)))
            } catch {
                return .failure(error)
            }
        }

        private func context(
            for request: TokenRequest, trusting authorities: TrustedAuthorities?
        ) throws(TransportError) -> TLSContext {
            let key = Trust(authorities: authorities, certificate: request.clientCertificate)
            if let context = contexts[key] { return context }
            let identity = key.certificate.map(\.identity)
            let context = try TLSContext(trusting: authorities, identity: identity)
            // Certificates change over a long run; a new context costs no more than a full handshake.
            if contexts.count >= Self.mostContexts { contexts.removeAll() }
            contexts[key] = context
            return context
        }
    }

    /// One request in progress, confined to the loop.
    package final class Pending {
        fileprivate private(set) var isGivenUp = false
        /// Cancels the step that is in progress.
        fileprivate var abandon: (() -> Void)?

        /// Closes the connection and ends the request with an error, before this returns if the request has begun.
        package func giveUp() {
            isGivenUp = true
            abandon?()
        }
    }

    /// Finds the parent proxy on the way to a token server; nil if the way is direct.
    package typealias FindParent = (TokenURL) -> Connector.Parent?

    package typealias Done = (Result<TokenResponse, TokenTransportError>) -> Void

    private let loop: EventLoop
    private let connections: LoopBound<Connections>
    private let connectTimeout: Duration
    private let answerTimeout: Duration
    private let correction: String

    /// Opens no connection before the first request.
    ///
    /// - Parameters:
    ///   - loop: The loop of the connections.
    ///   - connectTimeout: The time for name resolution, TCP and TLS together.
    ///   - answerTimeout: The time from then to the end of the response.
    ///   - overrides: The names that are not resolved.
    ///   - own: What identifies this process, where no token server is.
    ///   - names: Counts the look-ups.
    ///   - parent: Called on the loop.
    ///   - correction: What to do if the way to a server leads back to this process.
    ///   - caFileRefused: Called with the reason why a changed CA file is not used; the old authorities are kept.
    package init(
        loop: EventLoop, connectTimeout: Duration, answerTimeout: Duration,
        overrides: AddressOverrides = AddressOverrides(), avoiding own: OwnIdentity? = nil,
        counting names: NameCounts = NameCounts(), parent: @escaping FindParent = { _ in nil },
        correction: String = "correct the token server's address or tokenServerProxy",
        caFileRefused: @escaping @Sendable (_ reason: String) -> Void = { _ in }
    ) {
        self.loop = loop
        self.connectTimeout = connectTimeout
        self.answerTimeout = answerTimeout
        self.correction = correction
        connections = LoopBound(
            Connections(
                loop: loop, overrides: overrides, own: own, names: names, parent: parent,
                caFileRefused: caFileRefused),
            loop: loop)
    }

    /// Sends one request; ends at once, and closes the connection, when the task is cancelled.
    package func exchange(_ request: TokenRequest) async throws(TokenTransportError) -> TokenResponse {
        let pending = LoopBound(Pending(), loop: loop)
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                loop.execute { [self] in begin(request, pending.value) { continuation.resume(returning: $0) } }
            }
        } onCancel: {
            loop.execute { pending.value.giveUp() }
        }
        return try result.get()
    }

    /// Sends one request; loop thread only.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - done: Called once on the loop, after this function has returned.
    /// - Returns: What gives the request up.
    package func exchange(_ request: TokenRequest, _ done: @escaping Done) -> Pending {
        let pending = Pending()
        loop.nextTurn { [self] in begin(request, pending, done) }
        return pending
    }

    private func begin(_ request: TokenRequest, _ pending: Pending, _ done: @escaping Done) {
        guard !pending.isGivenUp else { return done(.failure(Self.givenUp)) }
        pending.abandon = { done(.failure(Self.givenUp)) }
        findTarget(of: request) { [self] result in
            guard !pending.isGivenUp else { return }
            switch result {
            case .success(let target): fetch(request, from: target, pending, done)
            case .failure(let error):
                pending.abandon = nil
                done(.failure(TokenTransportError(error)))
            }
        }
    }

    /// Finds where a request leads: its server, the newest TLS for it, and the parent proxy on the way.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - done: Called once on the loop, which must be the caller's; before this function returns if no file is read.
    package func findTarget(
        of request: TokenRequest, _ done: @escaping (Result<Connector.Target, TransportError>) -> Void
    ) {
        let connections = connections.value
        guard request.url.scheme == .https, let file = request.caFile else {
            return done(connections.target(for: request, trusting: nil))
        }
        connections.authorities.read(file) { found in
            done(found.flatMap { connections.target(for: request, trusting: $0) })
        }
    }

    private func fetch(
        _ request: TokenRequest, from target: Connector.Target, _ pending: Pending, _ done: @escaping Done
    ) {
        let connections = connections.value
        let asked = target.parent.flatMap { $0.opensTunnel ? nil : $0 }
        let (loop, answerTimeout, correction) = (loop, answerTimeout, correction)
        let finish: (Result<TokenResponse, TokenTransportError>) -> Void = { result in
            pending.abandon = nil
            done(result)
        }
        let attempt = connections.connector.connect(to: target, timeout: connectTimeout) { result in
            switch result {
            case .success(let stream):
                let fetch = Fetch(over: stream, deadline: loop.now.advanced(by: answerTimeout)) { answer in
                    if case .success(let answer) = answer, answer.status == 407, let asked {
                        let place = "http://\(request.url.authority)"
                        let error = TransportError(asked, demandingCredentialsFor: place)
                        return finish(.failure(TokenTransportError(error)))
                    }
                    if case .success(let answer) = answer, answer.status == 508 {
                        return finish(.failure(Self.leadingBack(from: request.url, correction)))
                    }
                    finish(answer.map(TokenResponse.init).mapError { TokenTransportError(message: $0.reason) })
                }
                pending.abandon = { fetch.giveUp() }
                fetch.send(Self.serialized(request, asking: asked, via: connections.via))
            case .failure(let error):
                finish(.failure(TokenTransportError(error)))
            }
        }
        pending.abandon = {
            attempt.cancel()
            finish(.failure(Self.givenUp))
        }
    }

    private static let givenUp = TokenTransportError(message: Fetch.givenUp)

    /// The error for a request that came back to this process (RFC 5842 section 7.2).
    private static func leadingBack(from url: TokenURL, _ correction: String) -> TokenTransportError {
        TokenTransportError(
            message:
                "\(url.authority) answered 508, so the way to it leads back to an attache; \(correction)",
            saysWhatToDo: true, leadsBack: true)
    }

    /// The bytes of a request, in absolute-form and with its credentials for a parent proxy.
    private static func serialized(
        _ request: TokenRequest, asking parent: Connector.Parent?, via: [UInt8]
    ) -> [UInt8] {
        let url = request.url
        let target = parent == nil ? url.path : "http://\(url.authority)\(url.path)"
        var out = Array("\(request.method.rawValue) \(target) HTTP/1.1\r\nHost: \(url.authority)\r\n".utf8)
        out += via
        if let parent { out += parent.authorization }
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
            dpopNonce: answer.dpopNonce, rateLimitRemaining: answer.rateLimitRemaining,
            rateLimitReset: answer.rateLimitReset, body: answer.body)
        date = answer.date
    }
}

extension TokenTransportError {
    init(_ error: TransportError) {
        let isParentAway = error.concernsParent && ![.parentRefused, .descriptorLimit].contains(error.kind)
        self.init(
            message: isParentAway
                ? "\(error.message); check tokenServerProxy, and whether that proxy runs" : error.message,
            isLocal: error.kind == .descriptorLimit,
            saysWhatToDo: isParentAway
                || [.tlsVerification, .tlsConfiguration, .ownListener, .parentRefused].contains(error.kind),
            leadsBack: error.kind == .ownListener)
    }
}

/// The token manager's clock, driven by an event loop's timers.
package struct LoopClock: TokenClock {
    private let loop: EventLoop

    package init(loop: EventLoop) { self.loop = loop }

    package var now: ContinuousClock.Instant { loop.continuousNow }

    package func sleep(until deadline: ContinuousClock.Instant) async throws {
        try await loop.sleep(until: deadline)
    }
}

extension FileThreads {
    /// Runs a call that may block for as long as a file system hangs, and passes its result to `done` on a loop.
    package func submit<Value: Sendable>(
        _ call: @escaping @Sendable () -> Value, for loop: EventLoop, _ done: @escaping (Value) -> Void
    ) {
        let done = LoopBound(done, loop: loop)
        submit {
            let value = call()
            loop.execute { done.value(value) }
        }
    }
}
