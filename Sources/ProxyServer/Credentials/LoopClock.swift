import EventTransport
import TokenManager

/// The token manager's time, kept by an event loop's timers.
struct LoopClock: TokenClock {
    let loop: EventLoop

    var now: ContinuousClock.Instant { ContinuousClock.now }

    func sleep(until deadline: ContinuousClock.Instant) async throws {
        try await loop.sleep(until: deadline)
    }
}
