import ProxyConfiguration
import ProxyCore
import TokenManager

/// What differs between the configuration in force and one that was loaded, by names only.
struct ConfigurationChanges {
    /// The loaded configuration with the settings in force for what a running process cannot change.
    let applicable: Configuration
    /// One line for each section with a difference, such as `routes: added orders; removed legacy`.
    let lines: [String]
    /// The settings that differ and need a restart.
    let needsRestart: [String]

    init(from old: Configuration, to new: Configuration) {
        var applicable = new
        (applicable.workers, applicable.admin) = (old.workers, old.admin)
        (applicable.accessLog, applicable.accessLogFields) = (old.accessLog, old.accessLogFields)
        (applicable.logFormat, applicable.tracing) = (old.logFormat, old.tracing)
        needsRestart = [
            ("workers", old.workers != new.workers), ("admin", old.admin != new.admin),
            ("accessLog", old.accessLog != new.accessLog || old.accessLogFields != new.accessLogFields),
            ("logFormat", old.logFormat != new.logFormat), ("tracing", old.tracing != new.tracing),
        ].filter(\.1).map(\.0)
        lines = [
            Self.line("listeners", old.listeners, new.listeners) { "\($0)" },
            Self.line("routes", old.routes, new.routes, \.name),
            Self.line("credentials", old.credentials, new.credentials, \.name),
            Self.line("settings", Self.settings(old, new)),
        ].compactMap(\.self)
        self.applicable = applicable
    }

    private static func settings(_ old: Configuration, _ new: Configuration) -> [String] {
        [
            ("unmatched", old.unmatched != new.unmatched), ("connect", old.connect != new.connect),
            ("upstreamProxy", old.upstreamProxy != new.upstreamProxy),
            ("tokenServerProxy", old.tokenServerProxy != new.tokenServerProxy),
            ("resolve", old.resolve != new.resolve), ("allowAddresses", old.allowAddresses != new.allowAddresses),
            ("cacheSize", old.cacheSize != new.cacheSize), ("limits", old.limits != new.limits),
            ("logLevel", old.logLevel != new.logLevel),
            ("shutdown", old.shutdown != new.shutdown),
            ("reloadOnChange", old.reloadsOnChange != new.reloadsOnChange),
        ].filter(\.1).map(\.0)
    }

    private static func line(_ section: String, _ changed: [String]) -> String? {
        changed.isEmpty ? nil : "\(section): changed \(changed.joined(separator: ", "))"
    }

    /// The line of a section with named members; nil if it has not changed.
    private static func line<Member: Equatable>(
        _ section: String, _ old: [Member], _ new: [Member], _ name: (Member) -> String
    ) -> String? {
        guard old != new else { return nil }
        let (oldNames, newNames) = (old.map(name), new.map(name))
        let changed = new.filter { member in
            !old.contains(member) && oldNames.contains(name(member))
        }
        let parts = [
            ("added", newNames.filter { !oldNames.contains($0) }), ("changed", changed.map(name)),
            ("removed", oldNames.filter { !newNames.contains($0) }),
        ].filter { !$1.isEmpty }.map { "\($0) \($1.joined(separator: ", "))" }
        return "\(section): \(parts.isEmpty ? "another order" : parts.joined(separator: "; "))"
    }
}
