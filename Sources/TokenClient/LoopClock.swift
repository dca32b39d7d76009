package import EventTransport
import TokenManager

/// The token manager's clock, driven by an event loop's timers.
package struct LoopClock: TokenClock {
    private let loop: EventLoop

    package init(loop: EventLoop) { self.loop = loop }

    package var now: ContinuousClock.Instant { loop.continuousNow }

    package func sleep(until deadline: ContinuousClock.Instant) async throws {
        try await loop.sleep(until: deadline)
    }
}
