import ProxyCore

/// What one server, or one of its tokens, says about the time.
struct ClockReading: Sendable, Equatable {
    /// Token servers commonly accept times that are wrong by up to a minute.
    static let tolerance = 60.0
    /// Servers that check signed requests commonly refuse them when the clocks differ by more.
    static let limit = 300.0

    let subject: Finding.Subject
    /// The server for people; empty if the time stands in a token.
    let server: String
    /// Where the time stands: `Date` or `iat`.
    let source: String
    /// The server's time minus this machine's, in seconds.
    let difference: Double

    var isWrong: Bool { !(difference.magnitude <= Self.tolerance) }

    /// The step of the report.
    var check: DoctorCheck {
        DoctorCheck(
            subject: subject, server: server, step: .clock, result: isWrong ? .failed : .passed,
            detail: "its \(source) \(relation)")
    }

    private var relation: String {
        let seconds = difference.magnitude.rounded()
        guard seconds != 0 else { return "agrees with this machine's clock" }
        return "is \(Self.text(seconds)) \(difference > 0 ? "later" : "earlier") than this machine's clock"
    }

    /// The findings about all clocks; each one says whether the other servers agree with this machine.
    static func findings(_ readings: [ClockReading]) -> [Finding] {
        readings.filter(\.isWrong).map { reading in
            let place = reading.server.isEmpty ? "the token" : reading.server
            let others = readings.filter { $0.server != reading.server && !$0.server.isEmpty }
            let agreeing = others.first { !$0.isWrong }.map { "\($0.server) agrees with this machine" }
            let differing = others.first { ($0.difference - reading.difference).magnitude <= tolerance }
                .map { "\($0.server) agrees with that time" }
            let witnesses = [agreeing, differing].compactMap(\.self).map { " \($0)." }.joined()
            // A backend's Date may come from a cache, and the token decides about its requests.
            var isError = reading.difference.magnitude > limit
            if case .route = reading.subject { isError = false }
            return Finding(
                .clockDiffers, isError ? .error : .warning, of: reading.subject,
                "The \(reading.source) of \(place) \(reading.relation). One of the two clocks is wrong.\(witnesses)")
        }
    }

    /// A duration for people; a token may claim one that no integer holds.
    private static func text(_ duration: Double) -> String {
        guard duration < 86_400 * 1_000 else { return "more than 1000 days" }
        let seconds = Int(duration)
        if seconds < 120 { return "\(seconds) s" }
        return seconds < 7_200 ? "\(seconds / 60) min" : "\(seconds / 3_600) h"
    }
}
