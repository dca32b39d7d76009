import EventTransport
import Logging
package import ProxyConfiguration
import ProxyCore
import TokenClient
import TokenManager

/// Fetches the token of one credential on a loop of its own, in the same way as a running proxy.
package enum TokenPreview {
    /// The reason why there is no token.
    package enum Failure: Error {
        /// The options that describe a request are unusable; one line for each problem.
        case unusableRequest(String)
        case noToken(String)
    }

    /// - Parameters:
    ///   - name: The name of one of the configuration's credentials.
    ///   - configuration: The configuration.
    ///   - sample: The options that describe a request.
    ///   - input: Reads standard input.
    /// - Returns: The header field and the state of its token.
    /// - Throws: The failure. A signal is a failure too, after a new refresh token has been written to its file.
    package static func fetch(
        _ name: String, of configuration: Configuration, for sample: SampleRequest, input: () -> [UInt8]
    ) throws(Failure) -> TokenReport {
        guard let credential = configuration.credentials.first(where: { $0.name == name }) else {
            preconditionFailure("a token was requested without a credential")
        }
        let request: RequestParameters
        do throws(ConfigurationError) {
            request = try sample.parameters(for: name, of: configuration, input: input)
        } catch {
            throw .unusableRequest(error.description)
        }
        let loop: EventLoop
        do throws(TransportError) {
            loop = try EventLoop()
        } catch {
            throw .noToken(error.message)
        }
        let client = try client(configuration, loop)
        let tokens = TokenManager(
            credentials: [credential], transport: client, clock: LoopClock(loop: loop), executor: loop)
        let outcome = LoopBound(Outcome(), loop: loop)
        let signals = try catchSignals(loop) { name in
            outcome.value.signal = name
            Task(executorPreference: loop) { await tokens.stop() }
        }
        Task(executorPreference: loop) {
            let reported = await report(credential, request, tokens)
            await tokens.stop()
            let problem = await tokens.status().first?.lastError
            // A refresh token that was not written to its file is lost when the process ends.
            let lost = problem.flatMap { $0.kind == .secretUnwritable ? $0 : nil }
            loop.execute {
                let ended = outcome.value.signal.map { Failure.noToken("ended by \($0) before a token could be shown") }
                let failure = lost.map { .noToken($0.description) } ?? ended
                outcome.value.result = failure.map { .failure($0) } ?? reported
                loop.stop()
            }
        }
        withExtendedLifetime(signals) { loop.run() }
        guard let result = outcome.value.result else { throw .noToken("attache received no response") }
        return try result.get()
    }

    private static func client(
        _ configuration: Configuration, _ loop: EventLoop
    ) throws(Failure) -> LoopTokenClient {
        let limits = configuration.limits
        do throws(TransportError) {
            let parent = try TokenServerParent(
                configuration.tokenServerProxy, loop: loop,
                logger: Logger(label: "token") { _ in SwiftLogNoOpLogHandler() })
            return LoopTokenClient(
                loop: loop, connectTimeout: limits.connectTimeout, answerTimeout: limits.tokenServerTimeout,
                overrides: AddressOverrides(configuration.resolve), parent: parent.find)
        } catch {
            throw .noToken(error.message)
        }
    }

    private static func catchSignals(
        _ loop: EventLoop, _ received: @escaping (String) -> Void
    ) throws(Failure) -> [SignalSource] {
        do throws(TransportError) {
            return try EndingSignals.catching(on: loop, received)
        } catch {
            throw .noToken(error.message)
        }
    }

    private static func report(
        _ credential: CredentialConfiguration, _ request: RequestParameters, _ tokens: TokenManager
    ) async -> Result<TokenReport, Failure> {
        do throws(TokenError) {
            let header = try await tokens.authorizationHeader(for: credential.name, request: request)
            let status = await tokens.status().first
            return .success(TokenReport(credential, header: header, status: status, now: .now))
        } catch {
            guard error.kind == .invalidParameter else { return .failure(.noToken(error.description)) }
            return .failure(.unusableRequest("\(error.description) (\(SampleRequest.options))"))
        }
    }

    private final class Outcome {
        var result: Result<TokenReport, Failure>?
        /// The last signal caught.
        var signal: String?
    }
}
