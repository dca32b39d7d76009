import ProxyCore

/// Reads `limits`.
enum LimitsSection {
    enum Key: String, CaseIterable {
        case headBytes
        case fieldCount
        case connections
        case headTimeout
        case bodyTimeout
        case connectTimeout
        case responseTimeout
        case streamIdleTimeout
        case idleTimeout
        case acquireTimeout
        case tunnelIdleTimeout
        case tunnelTimeout
        case replayBytes
    }

    /// Every timeout has an upper bound, so that no silent peer occupies a connection for ever.
    static let timeouts: ClosedRange<Duration> = .milliseconds(1) ... .seconds(86_400)

    static func read(_ setting: Setting, _ problems: ProblemList) -> Limits? {
        guard var mapping = MappingReader<Key>(setting, problems) else { return nil }
        var limits = Limits()
        if let bytes = mapping.take(.headBytes)?.size(1024...1_048_576, problems) { limits.headBytes = bytes }
        if let count = mapping.take(.fieldCount)?.integer(1...128, problems) { limits.fieldCount = count }
        if let count = mapping.take(.connections)?.integer(1...1_000_000, problems) { limits.connections = count }
        let durations: [(Key, WritableKeyPath<Limits, Duration>)] = [
            (.headTimeout, \.headTimeout), (.bodyTimeout, \.bodyTimeout), (.connectTimeout, \.connectTimeout),
            (.responseTimeout, \.responseTimeout), (.streamIdleTimeout, \.streamIdleTimeout),
            (.idleTimeout, \.idleTimeout), (.acquireTimeout, \.acquireTimeout),
            (.tunnelIdleTimeout, \.tunnelIdleTimeout), (.tunnelTimeout, \.tunnelTimeout),
        ]
        for (key, path) in durations {
            if let duration = mapping.take(key)?.duration(timeouts, problems) { limits[keyPath: path] = duration }
        }
        if let bytes = mapping.take(.replayBytes)?.size(0...1_048_576, problems) { limits.replayBytes = bytes }
        mapping.refuse(
            former: "upstreamTimeout",
            "write responseTimeout, to the end of the response's head, and streamIdleTimeout, for silence inside its body"
        )
        mapping.finish(context: "of limits")
        return limits
    }
}

/// Reads `shutdown`.
enum ShutdownSection {
    enum Key: String, CaseIterable {
        case drainDelay
        case waitForIdle
        case gracePeriod
    }

    static let drainDelays: ClosedRange<Duration> = .zero ... .seconds(3600)
    static let gracePeriods: ClosedRange<Duration> = .zero ... .seconds(86_400)

    static func read(_ setting: Setting, into draft: inout Draft, _ problems: ProblemList) {
        guard var mapping = MappingReader<Key>(setting, problems) else { return }
        if let delay = mapping.take(.drainDelay)?.duration(drainDelays, problems) { draft.shutdown.drainDelay = delay }
        if let time = mapping.take(.waitForIdle) { waitForIdle(time, into: &draft, problems) }
        if let period = mapping.take(.gracePeriod)?.duration(gracePeriods, problems) {
            draft.shutdown.gracePeriod = period
        }
        mapping.finish(context: "of shutdown")
    }

    /// Reads the time, which may come from the file or from an option.
    static func waitForIdle(_ setting: Setting, into draft: inout Draft, _ problems: ProblemList) {
        guard let time = setting.duration(drainDelays, problems) else { return }
        draft.shutdown.waitForIdle = time
        draft.waitForIdlePlace = setting.place
    }
}

/// Reads `workers`: a number or `auto`.
enum WorkersSetting {
    static func read(_ setting: Setting, _ problems: ProblemList) -> WorkerCount? {
        if case .scalar("auto", _) = setting.node.content { return .automatic }
        let found = ProblemList()
        if let count = setting.integer(1...256, found) { return .count(count) }
        setting.refuse(problems, "is not a number of workers; write a number from 1 to 256, or auto")
        return nil
    }
}
