/// A moment on the clock of tokens, with the same moment on the wall clock.
struct AdminMoment {
    let now: ContinuousClock.Instant
    /// In seconds since 1970.
    let unixTime: Double

    /// An instant as a time (RFC 3339, UTC).
    func time(of instant: ContinuousClock.Instant?) -> String? {
        guard let instant else { return nil }
        return TimestampClock.text(ofSecond: unixTime + Double((instant - now).milliseconds) / 1000)
    }

    /// The time from now to an instant; not negative.
    func left(to instant: ContinuousClock.Instant?) -> JSONDocument? {
        instant.map { JSONDocument.seconds(max(.zero, $0 - now)) }
    }
}
