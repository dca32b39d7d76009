/// Reads `shutdown`.
enum ShutdownSection {
    enum Key: String, CaseIterable {
        case drainDelay
        case gracePeriod
    }

    static let drainDelays: ClosedRange<Duration> = .zero ... .seconds(3600)
    static let gracePeriods: ClosedRange<Duration> = .zero ... .seconds(86_400)

    static func read(_ setting: Setting, _ problems: ProblemList) -> Shutdown? {
        guard var mapping = MappingReader<Key>(setting, problems) else { return nil }
        var shutdown = Shutdown()
        if let delay = mapping.take(.drainDelay)?.duration(drainDelays, problems) { shutdown.drainDelay = delay }
        if let period = mapping.take(.gracePeriod)?.duration(gracePeriods, problems) { shutdown.gracePeriod = period }
        mapping.finish(context: "of shutdown")
        return shutdown
    }
}
