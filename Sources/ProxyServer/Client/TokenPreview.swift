import EventTransport
import Glibc
package import ProxyConfiguration
import ProxyCore
import TokenClient
import TokenManager

/// Fetches one credential's value as a running proxy would, on a loop of its own, to show it to a person.
package enum TokenPreview {
    /// Why there is no value, for a person.
    package enum Failure: Error {
        /// What was said in place of a request will not do; one line a problem.
        case unusableRequest(String)
        case noToken(String)
    }

    /// - Parameters:
    ///   - name: one of the configuration's credentials.
    ///   - configuration: says all of it.
    ///   - sample: what a request would say, as far as the token depends on it.
    ///   - input: reads standard input.
    /// - Returns: the field to send and how its token is doing.
    /// - Throws: what failed and what to do; also where a signal ended it, which waits for the refresh token that may be on
    ///   its way.
    package static func fetch(
        _ name: String, of configuration: Configuration, for sample: SampleRequest, input: () -> [UInt8]
    ) throws(Failure) -> TokenReport {
        guard let credential = configuration.credentials.first(where: { $0.name == name }) else {
            preconditionFailure("a token of no credential is asked for")
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
        let limits = configuration.limits
        let client = LoopTokenClient(
            loop: loop, connectTimeout: limits.connectTimeout, answerTimeout: limits.tokenServerTimeout)
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
            // A refresh token that is in no file when this process ends is lost.
            let lost = problem.flatMap { $0.kind == .secretUnwritable ? $0 : nil }
            loop.execute {
                let ended = outcome.value.signal.map { Failure.noToken("ended by \($0) before a token could be shown") }
                let failure = lost.map { .noToken($0.description) } ?? ended
                outcome.value.result = failure.map { .failure($0) } ?? reported
                loop.stop()
            }
        }
        withExtendedLifetime(signals) { loop.run() }
        guard let result = outcome.value.result else { throw .noToken("there was no answer") }
        return try result.get()
    }

    /// The signals that end a process, by their names; by default the next refresh token would be lost with it.
    private static func catchSignals(
        _ loop: EventLoop, _ received: @escaping (String) -> Void
    ) throws(Failure) -> [SignalSource] {
        var sources: [SignalSource] = []
        do throws(TransportError) {
            for (signal, name) in [(SIGTERM, "SIGTERM"), (SIGINT, "SIGINT"), (SIGHUP, "SIGHUP")] {
                sources.append(try SignalSource(signal, loop: loop) { received(name) })
            }
        } catch {
            throw .noToken(error.message)
        }
        return sources
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
        /// The last signal that came.
        var signal: String?
    }
}
