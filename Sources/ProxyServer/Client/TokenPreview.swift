import EventTransport
package import ProxyConfiguration
import ProxyCore
import TokenClient
import TokenManager

/// Fetches one credential's value as a running proxy would, on a loop of its own, to show it to a person.
package enum TokenPreview {
    /// Why there is no value, for a person.
    package struct Failure: Error, CustomStringConvertible {
        package let description: String
    }

    /// - Returns: the field to send and how its token is doing.
    /// - Throws: what failed and what to do.
    package static func fetch(_ name: String, of configuration: Configuration) throws(Failure) -> TokenReport {
        let loop: EventLoop
        do throws(TransportError) {
            loop = try EventLoop()
        } catch {
            throw Failure(description: error.message)
        }
        let limits = configuration.limits
        let client = LoopTokenClient(
            loop: loop, connectTimeout: limits.connectTimeout, answerTimeout: limits.upstreamTimeout)
        let tokens = TokenManager(
            credentials: configuration.credentials.filter { $0.name == name }, transport: client,
            clock: LoopClock(loop: loop), executor: loop)
        let scheme = configuration.credentials.first { $0.name == name }?.scheme
        let outcome = LoopBound(Outcome(), loop: loop)
        Task(executorPreference: loop) {
            let result = await report(name, scheme, tokens)
            await tokens.stop()
            loop.execute {
                outcome.value.result = result
                loop.stop()
            }
        }
        loop.run()
        guard let result = outcome.value.result else { throw Failure(description: "there was no answer") }
        return try result.get()
    }

    private static func report(
        _ name: String, _ scheme: String?, _ tokens: TokenManager
    ) async -> Result<TokenReport, Failure> {
        do throws(TokenError) {
            let header = try await tokens.authorizationHeader(for: name)
            let status = await tokens.status().first { $0.name == name }
            return .success(TokenReport(name: name, header: header, scheme: scheme, status: status, now: .now))
        } catch {
            return .failure(Failure(description: error.description))
        }
    }

    private final class Outcome {
        var result: Result<TokenReport, Failure>?
    }
}
