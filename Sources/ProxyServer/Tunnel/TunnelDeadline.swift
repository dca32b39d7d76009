import EventTransport

/// Computes when a tunnel times out.
///
/// Pure: the caller reports progress, and when. Bytes of either side are progress, and so is a receiver that takes some of
/// the queued bytes. No progress extends the time of the whole tunnel.
struct TunnelDeadline {
    enum Verdict: Equatable {
        /// `instant` is a new deadline.
        case goesOn
        /// Neither side sent or took anything.
        case isIdle
        /// The time of the whole tunnel is over.
        case isOver
    }

    private let idle: Int64
    private let end: MonotonicInstant
    private var movedAt: MonotonicInstant
    /// The number of bytes that the receivers had not taken at the last check.
    private var untaken = 0

    init(idle: Int64, whole: Int64, at now: MonotonicInstant) {
        self.idle = idle
        end = now.advanced(byNanoseconds: whole)
        movedAt = now
    }

    var instant: MonotonicInstant { min(movedAt.advanced(byNanoseconds: idle), end) }

    /// A side has sent or taken something.
    mutating func moved(at now: MonotonicInstant) { movedAt = now }

    /// A receiver has no room for more, and has yet to take `untaken` bytes.
    mutating func blocked(untaken: Int) { self.untaken = untaken }

    /// Checks the progress when the deadline is reached; `left` is the number of bytes that the receivers have not taken.
    mutating func look(at now: MonotonicInstant, left: Int) -> Verdict {
        guard now < end else { return .isOver }
        if left > 0, left < untaken { movedAt = now }
        untaken = left
        return now < instant ? .goesOn : .isIdle
    }
}
