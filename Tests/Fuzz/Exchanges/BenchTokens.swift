import FoundationEssentials
import TokenManager

@testable import EventTransport
@testable import TokenClient

/// A token server of the bench: the first token comes at once, the others when the script says so.
final class BenchTokens: TokenTransport, @unchecked Sendable {
    private let loop: EventLoop
    private var count = 0
    private var waiting: CheckedContinuation<Bool, Never>?

    init(loop: EventLoop) { self.loop = loop }

    func exchange(_ request: TokenRequest) async throws(TokenTransportError) -> TokenResponse {
        if count > 0 {
            let comes = await withCheckedContinuation { waiting = $0 }
            // A local one, after which the pause is the same however many there were before.
            guard comes else { throw TokenTransportError(message: "the script lets it fail", isLocal: true) }
        }
        count += 1
        let token = "\(ProxyBench.fetchedToken)\(count)"
        let body = "{\"access_token\":\"\(token)\",\"token_type\":\"Bearer\",\"expires_in\":1000000000}"
        return TokenResponse(status: 200, body: Array(body.utf8))
    }

    /// Answers who waits, if anybody does, with another token.
    func answer() { end(true) }

    /// Fails for who waits, if anybody does.
    func fail() { end(false) }

    private func end(_ comes: Bool) {
        waiting?.resume(returning: comes)
        waiting = nil
    }
}

/// The loop's time, which jumps: otherwise a refused token would be fetched anew in one run of a thousand.
final class JumpingClock: TokenClock, @unchecked Sendable {
    private let clock: LoopClock
    private var ahead = Duration.zero

    init(loop: EventLoop) { clock = LoopClock(loop: loop) }

    var now: ContinuousClock.Instant { clock.now + ahead }

    func sleep(until deadline: ContinuousClock.Instant) async throws { try await clock.sleep(until: deadline - ahead) }

    func jump() { ahead += .seconds(11) }
}
