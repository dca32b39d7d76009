import HTTPWire
import ProxyCore

/// Reads `connect`: where CONNECT tunnels may lead.
enum ConnectSection {
    enum Key: String, CaseIterable {
        case allow
        case deny
        case routes
    }

    static func read(_ setting: Setting, _ context: LoadContext) -> ConnectRules? {
        let problems = context.problems
        guard var keys = MappingReader<Key>(setting, problems) else { return nil }
        let allowSetting = keys.take(.allow)
        let allow = allowSetting.map { patterns($0, problems) }
        let deny = keys.take(.deny).map { patterns($0, problems) }
        let routes = keys.take(.routes).map { $0.word(ConnectPolicy.self, problems) }
        keys.finish(context: "of connect")
        if let allow, allow == nil { return nil }
        if let deny, deny == nil { return nil }
        if let allowSetting, case .some(.some(let allow)) = allow, case .some(.some(let deny)) = deny {
            warn(of: allow, in: allowSetting, deniedBy: deny, context)
        }
        return ConnectRules(allow: (allow ?? nil) ?? [], deny: (deny ?? nil) ?? [], routes: (routes ?? nil) ?? .deny)
    }

    /// Warns of destinations that `deny` takes back.
    private static func warn(
        of allow: [ConnectRules.Pattern], in setting: Setting, deniedBy deny: [ConnectRules.Pattern],
        _ context: LoadContext
    ) {
        for (item, pattern) in zip(setting.items(context.problems) ?? [], allow) {
            guard let index = deny.firstIndex(where: { $0.covers(pattern) }) else { continue }
            context.warnings.add(
                .settingWithoutEffect, item.place,
                "allows no tunnel, because deny[\(index)] denies the same destinations; remove one of the two"
            )
        }
    }

    /// Nil if an item has a problem.
    private static func patterns(_ setting: Setting, _ problems: ProblemList) -> [ConnectRules.Pattern]? {
        guard let items = setting.items(problems) else { return nil }
        let patterns = items.compactMap { $0.parsed(problems, what: "host:port", pattern) }
        return patterns.count == items.count ? patterns : nil
    }

    /// `host:443`, `*.example:443`, `*:443` or `[::1]:443`.
    private static func pattern(_ text: String) throws(ValueError) -> ConnectRules.Pattern {
        guard !text.contains("://") else {
            throw ValueError("is a URL; write host and port alone, as in *.example:443")
        }
        guard let colon = text.lastIndex(of: ":"), !text[..<colon].isEmpty,
            let port = PortSyntax.number(text[text.index(after: colon)...], zeroAllowed: false)
        else { throw ValueError("is not a host with a port; write it as in *.example:443") }
        let host = String(text[..<colon])
        if host == "*" { return ConnectRules.Pattern(host: .suffix(""), port: port) }
        if host.contains(":"), !host.hasPrefix("[") {
            throw ValueError("has an IPv6 address without brackets; write it as in [::1]:443")
        }
        return ConnectRules.Pattern(host: try MatchSection.hostPattern(host), port: port)
    }
}
