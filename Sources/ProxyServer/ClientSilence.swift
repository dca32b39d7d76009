import EventTransport

/// Tells when no client has been connected for some time.
///
/// Confined to its loop. It looks eight times in that time, at most once a second and at least every 50 ms, and counts
/// accepted connections too, so that it misses none between two looks.
final class ClientSilence {
    /// What a look saw.
    struct Sight {
        /// The connections of now.
        var openCount: Int
        /// All connections since the start.
        var acceptedCount: UInt64
    }

    typealias Look = (_ seen: @escaping (Sight) -> Void) -> Void

    private let loop: EventLoop
    private let time: Duration
    private let look: Look
    private let passed: () -> Void
    private lazy var timer = Timer(loop: loop) { [unowned self] in lookOnce() }
    private var measure: Measure

    /// Calls `passed` once, when no client has been connected for `time`.
    init(_ time: Duration, loop: EventLoop, look: @escaping Look, passed: @escaping () -> Void) {
        self.loop = loop
        self.time = time
        self.look = look
        self.passed = passed
        measure = Measure(beganAt: loop.now)
        lookOnce()
    }

    private func lookOnce() {
        look { [weak self] sight in self?.take(sight) }
    }

    private func take(_ sight: Sight) {
        if measure.silence(sight, at: loop.now) >= time.nanoseconds { return passed() }
        timer.schedule(after: min(max(time / 8, .milliseconds(50)), .seconds(1)))
    }

    /// How long the silence has lasted.
    struct Measure {
        private var acceptedCount: UInt64?
        private var beganAt: MonotonicInstant

        init(beganAt: MonotonicInstant) { self.beganAt = beganAt }

        /// - Returns: the silence so far, in nanoseconds.
        mutating func silence(_ sight: Sight, at now: MonotonicInstant) -> Int64 {
            if sight.openCount > 0 || sight.acceptedCount != acceptedCount { beganAt = now }
            acceptedCount = sight.acceptedCount
            return now.nanoseconds(since: beganAt)
        }
    }
}
