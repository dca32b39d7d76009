import Support
import TokenManager

/// A manager with everything around it simulated; it is stopped with the end of the test.
final class Simulation {
    typealias Answered = Result<AuthorizationHeader, TokenError>

    let loop = TestLoop()
    let clock = ManualClock()
    let transport: ScriptedTransport
    let secrets: FakeSecrets
    let observer = RecordingObserver()
    let manager: TokenManager

    init(_ credentials: [CredentialConfiguration], cacheSize: Int = 100, seed: UInt64 = 1) {
        transport = ScriptedTransport(clock: clock, loop: loop)
        secrets = FakeSecrets()
        manager = TokenManager(
            credentials: credentials, cacheSize: cacheSize, transport: transport, clock: clock, secrets: secrets,
            writer: secrets, observer: observer, executor: loop, random: SeededGenerator(seed: seed))
    }

    deinit {
        _ = loop.spawn { [manager] in await manager.stop() }
        // Longer than a stop waits for anything.
        advance(.seconds(6))
    }

    /// Starts the manager, and runs what it starts at once.
    func start() throws { try loop.call { [manager] in await manager.start() } }

    func stop() throws { try loop.call { [manager] in await manager.stop() } }

    /// Stops the manager while it may have to wait for something; there is a value once it has stopped.
    func beginStop() -> Outcome<Bool> {
        let outcome = loop.spawn { [manager] in
            await manager.stop()
            return true
        }
        loop.run()
        return outcome
    }

    /// Asks for a header; the answer may be there at once or later.
    func ask(_ name: String = "a", request: RequestParameters = RequestParameters()) -> Outcome<Answered> {
        let outcome = loop.spawn { [manager] in
            do throws(TokenError) {
                return Answered.success(try await manager.authorizationHeader(for: name, request: request))
            } catch {
                return .failure(error)
            }
        }
        loop.run()
        return outcome
    }

    func status(_ name: String = "a") throws -> CredentialStatus? {
        try loop.call { [manager] in await manager.status() }.first { $0.name == name }
    }

    /// Lets time pass, with everything that it brings about.
    func advance(_ duration: Duration) {
        let limit = clock.now + duration
        loop.run()
        while clock.step(to: limit) { loop.run() }
        loop.run()
    }

    /// Answers the oldest exchange that waits.
    func answer(_ answer: ScriptedTransport.Answer) {
        guard let oldest = transport.open.first else { return }
        transport.answer(oldest.number, answer)
        loop.run()
    }
}

extension ScriptedTransport.Answer {
    /// A good answer.
    static func token(_ token: String, life: Int = 100) -> Self {
        .ok(#"{"access_token":"\#(token)","token_type":"Bearer","expires_in":\#(life)}"#)
    }

    static func ok(_ body: String) -> Self { .status(200, body) }

    static func status(_ status: Int, _ body: String = "", retryAfter: String? = nil) -> Self {
        .success(
            TokenResponse(
                status: status, retryAfter: retryAfter, contentType: "application/json", body: Array(body.utf8)))
    }

    static func oauthError(_ status: Int, _ code: String) -> Self {
        .status(status, #"{"error":"\#(code)","error_description":"no, s3cret is wrong"}"#)
    }

    static var unreachable: Self { .failure(TokenTransportError(message: "idp.test:443: connection refused")) }
}

extension CredentialConfiguration {
    /// A client of a server in the test.
    static func client(
        _ name: String = "a", secret: Secret = .literal("s3cret"), scope: String? = nil, isPosted: Bool = false,
        host: String = "idp.test"
    ) throws -> CredentialConfiguration {
        CredentialConfiguration(
            name: name,
            source: .clientCredentials(
                ClientCredentials(
                    endpoint: .url(try TokenURL("https://\(host)/token")),
                    client: OAuthClient(id: "cid", authentication: isPosted ? .post(secret) : .basic(secret)),
                    access: RequestedAccess(scope: scope))))
    }
}

extension Outcome<Result<AuthorizationHeader, TokenError>> {
    /// The header that was answered, if that is the answer.
    var header: AuthorizationHeader? {
        guard case .success(let header) = value else { return nil }
        return header
    }

    /// The error that was answered, if that is the answer.
    var error: TokenError? {
        guard case .failure(let error) = value else { return nil }
        return error
    }
}
