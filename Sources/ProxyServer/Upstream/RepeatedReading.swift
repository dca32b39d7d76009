import EventTransport
import TokenManager

/// When files that a worker uses are read again, and which reads hang.
struct RepeatedReading: ~Copyable {
    /// As often as a credential's secrets are read.
    private static let interval: Duration = .seconds(1)
    /// A read that takes longer is reported.
    static let limit: Duration = .seconds(10)

    enum DueAction: Equatable {
        /// Begin to read.
        case read
        /// Report that the read in progress has taken longer than `limit`.
        case report
        case none
    }

    private var reading = SecretReading.idle
    private var nextReading: MonotonicInstant
    /// When the read in progress has taken too long.
    private var stallsAt: MonotonicInstant

    /// The files have just been read for the first time.
    init(after now: MonotonicInstant) {
        nextReading = now.advanced(by: Self.interval)
        stallsAt = nextReading
    }

    /// Somebody uses the files.
    mutating func used(at now: MonotonicInstant) -> DueAction {
        guard now >= nextReading else { return .none }
        switch reading.begin() {
        case .read:
            nextReading = now.advanced(by: Self.interval)
            stallsAt = now.advanced(by: Self.limit)
            return .read
        case .none:
            guard now >= stallsAt else { return .none }
            switch reading.timedOut() {
            case .report: return .report
            case .none: return .none
            }
        }
    }

    /// The read in progress has ended.
    mutating func ended() -> SecretReading.EndedAction { reading.ended() }
}
