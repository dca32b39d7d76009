import EventTransport
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
    /// - Throws: what failed and what to do.
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
            loop: loop, connectTimeout: limits.connectTimeout, answerTimeout: limits.upstreamTimeout)
        let tokens = TokenManager(
            credentials: [credential], transport: client, clock: LoopClock(loop: loop), executor: loop)
        let outcome = LoopBound(Outcome(), loop: loop)
        Task(executorPreference: loop) {
            let reported = await report(credential, request, tokens)
            await tokens.stop()
            let problem = await tokens.status().first?.lastError
            // A refresh token that is in no file when this process ends is lost.
            let lost = problem.flatMap { $0.kind == .secretUnwritable ? $0 : nil }
            let result = lost.map { .failure(.noToken($0.description)) } ?? reported
            loop.execute {
                outcome.value.result = result
                loop.stop()
            }
        }
        loop.run()
        guard let result = outcome.value.result else { throw .noToken("there was no answer") }
        return try result.get()
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
    }
}
