import FoundationEssentials

/// The time, handed in so that tests and event loops can supply it.
public protocol TokenClock: Sendable {
    /// The monotonic time, by which every token's life is measured.
    var now: ContinuousClock.Instant { get }

    /// Seconds since 1970, read only to understand dates that others wrote: `Retry-After` and a JWT's `exp`.
    var unixTime: Double { get }

    /// Suspends until an instant; it throws when the task is cancelled.
    ///
    /// - Parameter deadline: The instant to wait for.
    /// - Throws: `CancellationError` when the task is cancelled.
    func sleep(until deadline: ContinuousClock.Instant) async throws
}

extension TokenClock {
    /// The system's time.
    public var unixTime: Double { Date().timeIntervalSince1970 }
}
