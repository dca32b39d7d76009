import ProxyCore

/// What became of an attempt to load the configuration again.
enum ReloadResult {
    /// The new configuration is in force.
    case applied(changes: [String], needsRestart: [String])
    /// The new configuration is unusable, and the old one stays in force; the text is that of `attache check`.
    case refused(String)
    /// Nothing was loaded.
    case unavailable(String)

    /// The answer to `POST /reload`.
    var response: EmbeddedServer.Response {
        switch self {
        case .applied(let changes, let needsRestart):
            let restart = needsRestart.map { "\($0): changed, needs a restart" }
            let lines = ["reloaded"] + (changes + restart).ifEmpty(["nothing has changed"])
            return .init(200, lines.joined(separator: "\n") + "\n")
        case .refused(let text): return .init(422, text + "\n")
        case .unavailable(let text): return .init(409, text + "\n")
        }
    }

    /// The answer to `POST /reload` if the load takes long, as when a file system hangs.
    static var late: EmbeddedServer.Response {
        let time = PendingAnswer.timeout.settingText
        return .init(504, "the reload has not ended after \(time) and continues; see its result in the log\n")
    }
}

extension [String] {
    fileprivate func ifEmpty(_ other: [String]) -> [String] { isEmpty ? other : self }
}

/// How often the configuration was loaded again, for the metrics; the load at the start counts only as the time of the last success.
struct ReloadCounts {
    private(set) var succeeded = 0
    private(set) var failed = 0
    private(set) var isLastSuccessful = true
    /// The time of the last success in seconds since 1970.
    private(set) var lastSuccessAt: Double

    init(startedAt unixTime: Double) { lastSuccessAt = unixTime }

    mutating func succeeded(at unixTime: Double) {
        succeeded += 1
        (isLastSuccessful, lastSuccessAt) = (true, unixTime)
    }

    mutating func failedOnce() {
        failed += 1
        isLastSuccessful = false
    }
}
