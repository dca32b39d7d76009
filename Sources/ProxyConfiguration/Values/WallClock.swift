private import FoundationEssentials

/// The wall-clock time in seconds since 1970, for the validity of certificates.
enum WallClock {
    static var now: Int64 { Int64(Date().timeIntervalSince1970) }

    /// The time in UTC, as in `2026-11-22T07:51:20Z`.
    static func text(_ seconds: Int64) -> String {
        Date(timeIntervalSince1970: Double(seconds)).formatted(.iso8601)
    }
}
