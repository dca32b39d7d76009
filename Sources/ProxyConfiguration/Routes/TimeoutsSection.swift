import ProxyCore

/// Reads `timeouts` of a route: the timeouts for its backend.
enum TimeoutsSection {
    enum Key: String, CaseIterable {
        case response
        case streamIdle
        case tunnelIdle
    }

    static func read(_ setting: Setting, _ problems: ProblemList) -> RouteTimeouts? {
        guard var keys = MappingReader<Key>(setting, problems) else { return nil }
        let response = keys.take(.response)?.duration(LimitsSection.timeouts, problems)
        let streamIdle = keys.take(.streamIdle)?.duration(LimitsSection.timeouts, problems)
        let tunnelIdle = keys.take(.tunnelIdle)?.duration(LimitsSection.timeouts, problems)
        keys.finish(context: "of timeouts")
        return RouteTimeouts(response: response, streamIdle: streamIdle, tunnelIdle: tunnelIdle)
    }
}
