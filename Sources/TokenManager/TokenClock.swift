import FoundationEssentials

/// The time, injected so that tests and event loops can supply it.
public protocol TokenClock: Sendable {
    /// The monotonic time, by which every token's life is measured.
    var now: ContinuousClock.Instant { get }

    /// Seconds since 1970, read only to interpret dates from other machines: `Retry-After` and a JWT's `exp`.
    var unixTime: Double { get }

    /// Suspends until an instant; throws if the task is cancelled.
    ///
    /// - Parameter deadline: The instant to wait for.
    /// - Throws: `CancellationError` if the task is cancelled.
    func sleep(until deadline: ContinuousClock.Instant) async throws
}

extension TokenClock {
    /// The system's time.
    public var unixTime: Double { Date().timeIntervalSince1970 }
}
