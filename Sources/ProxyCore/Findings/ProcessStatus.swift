/// The state of Attaché itself, from which findings follow.
package struct ProcessStatus: Sendable {
    /// How far the process is on the way to its end.
    package enum Shutdown: Equatable, Sendable {
        /// No drain has begun.
        case none
        /// Attaché still accepts requests for this time (`shutdown.drainDelay`), from the beginning of the drain, or
        /// until no client has been connected for `waitForIdle`, if that is not zero.
        case delayed(Duration, waitForIdle: Duration)
        /// Running requests finish.
        case draining
    }

    package var shutdown = Shutdown.none
    /// The problems of the last reload; nil if it succeeded.
    package var reloadProblem: String?
    /// The settings that differ from the file's and need a restart.
    package var needsRestart: [String] = []
    /// Why the access log could not be opened again; nil if the last attempt succeeded.
    package var logProblem: String?
    /// Why the limit of open files is too low for the configuration; nil if it suffices.
    package var descriptorWarning: String?
    /// When each incident of the last minute happened last.
    package var incidents: [Incident: ContinuousClock.Instant] = [:]

    package init() {}
}

/// Something that happens in one moment; it is a finding until a minute has passed without another one.
package enum Incident: Int, CaseIterable, Sendable {
    /// A listener paused, because file descriptors ran low.
    case descriptorsShort
    /// A client got 503, because `limits.connections` was reached.
    case connectionLimitReached
    /// The access log lost lines.
    case logLinesDropped

    /// For how long after the last one it is a finding.
    package static let duration: Duration = .seconds(60)

    var finding: Finding {
        switch self {
        case .descriptorsShort:
            Finding(.outOfDescriptors, .error, "Attaché could not accept or open connections during the last minute.")
        case .connectionLimitReached:
            Finding(.tooManyConnections, .error, "Clients over limits.connections got 503 during the last minute.")
        case .logLinesDropped:
            Finding(
                .logLinesDropped, .warning,
                "The destination of the access log did not accept every line during the last minute.")
        }
    }
}
