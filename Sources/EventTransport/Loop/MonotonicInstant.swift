import Glibc

/// A point on the machine's monotonic clock in nanoseconds since its start; the clock continues while the machine
/// sleeps.
///
/// The same clock as `ContinuousClock`, but a plain number: the layout of that clock's instant is known only at run
/// time, which makes every store and comparison slower.
@usableFromInline package struct MonotonicInstant: Comparable, Hashable, Sendable {
    @usableFromInline package let nanoseconds: Int64

    /// Later than every other instant.
    @inlinable package static var distantFuture: MonotonicInstant { MonotonicInstant(nanoseconds: .max) }

    @inlinable package init(nanoseconds: Int64) { self.nanoseconds = nanoseconds }

    /// The same moment, or one later by the time between two clock reads, but never an earlier one.
    package init(_ instant: ContinuousClock.Instant) {
        let distance = instant - ContinuousClock.now
        self = MonotonicInstant.now.advanced(by: distance)
    }

    package static var now: MonotonicInstant {
        var time = timespec()
        // SAFETY: the structure is lent for the call.
        _ = unsafe clock_gettime(CLOCK_BOOTTIME, &time)
        return MonotonicInstant(nanoseconds: Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec))
    }

    @inlinable package static func == (left: Self, right: Self) -> Bool { left.nanoseconds == right.nanoseconds }

    @inlinable package static func < (left: Self, right: Self) -> Bool { left.nanoseconds < right.nanoseconds }

    /// How much later this instant is than `other`, in nanoseconds; negative if it is earlier.
    @inlinable package func nanoseconds(since other: MonotonicInstant) -> Int64 {
        let (distance, isTooFar) = nanoseconds.subtractingReportingOverflow(other.nanoseconds)
        guard isTooFar else { return distance }
        return nanoseconds < other.nanoseconds ? .min : .max
    }

    package static func + (instant: Self, duration: Duration) -> Self { instant.advanced(by: duration) }

    /// The instant that is later by `duration`; the distant future if that cannot be represented.
    package func advanced(by duration: Duration) -> MonotonicInstant {
        advanced(byNanoseconds: duration.nanoseconds)
    }

    @inlinable package func advanced(byNanoseconds distance: Int64) -> MonotonicInstant {
        let (sum, isTooFar) = nanoseconds.addingReportingOverflow(distance)
        return isTooFar ? .distantFuture : MonotonicInstant(nanoseconds: sum)
    }
}

extension Duration {
    /// The duration in whole nanoseconds, at most some 292 years.
    package var nanoseconds: Int64 {
        let (seconds, attoseconds) = components
        let (product, isTooLong) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        guard !isTooLong else { return seconds < 0 ? .min : .max }
        let (sum, isOver) = product.addingReportingOverflow(attoseconds / 1_000_000_000)
        return isOver ? .max : sum
    }
}
