import HTTPWire
import ProxyCore
import TokenManager

/// Reads `match`: which requests a route takes.
enum MatchSection {
    enum Key: String, CaseIterable {
        case host
        case port
        case pathPrefix
        case methods
    }

    static func read(_ setting: Setting, hasUpstream: Bool, _ problems: ProblemList) -> RouteMatch? {
        guard var keys = MappingReader<Key>(setting, problems) else { return nil }
        // Without a host, the route is for gateway listeners, and needs an upstream that names the backend.
        let advice = "write a host, or *.example for all hosts below a domain"
        let hostSetting = hasUpstream ? keys.take(.host) : keys.require(.host, advice)
        let host =
            hostSetting.map { $0.parsed(problems, what: "a host", hostPattern) } ?? (hasUpstream ? .nothing : nil)
        let port = keys.take(.port).map { $0.integer(1...65_535, problems).map { PortPattern.exactly(UInt16($0)) } }
        let prefix = keys.take(.pathPrefix).map { $0.parsed(problems, what: "a path", PathText.parse) }
        let methods = keys.take(.methods).map { self.methods($0, problems) }
        keys.finish(context: "of match")
        if let port, port == nil { return nil }
        if let prefix, prefix == nil { return nil }
        if let methods, methods == nil { return nil }
        guard let host else { return nil }
        return RouteMatch(
            host: host, port: (port ?? nil) ?? (hasUpstream ? .any : .schemeDefault), pathPrefix: prefix ?? nil,
            methods: (methods ?? nil) ?? [])
    }

    static func hostPattern(_ text: String) throws(ValueError) -> HostPattern {
        if text == "*" {
            throw ValueError("would take every host; name the hosts, or a domain as in *.example")
        }
        if text.hasPrefix("*.") {
            let domain = try HostText.host(text.dropFirst(2))
            guard !domain.isAddress else { throw ValueError("has a \"*\" before an address; write a domain") }
            return .suffix(".\(domain.text)")
        }
        // A port after the name is a common mistake, so it has its own message; an IPv6 address has several colons.
        if text.utf8.count(where: { $0 == UInt8(ascii: ":") }) == 1 {
            throw ValueError("contains a port or a scheme; write the host alone, and the port as match.port")
        }
        return .exact(try HostText.parse(whole: text))
    }

    private static func methods(_ setting: Setting, _ problems: ProblemList) -> [String]? {
        guard let items = setting.items(problems) else { return nil }
        guard !items.isEmpty else {
            problems.add(setting.place, "is empty; write methods as in [GET, HEAD] or leave the key out")
            return nil
        }
        let methods = items.compactMap { item in
            item.parsed(problems, what: "a method") { (text) throws(ValueError) -> String in
                let isUpperCase = text.utf8.allSatisfy { !(UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0) }
                guard FieldText.isToken(text), isUpperCase else {
                    throw ValueError("is not a method; write it in upper case, as in GET")
                }
                guard text != "CONNECT" else {
                    throw ValueError(
                        "cannot be a method of a route; remove it and set connect: tunnel or terminate in the route")
                }
                return text
            }
        }
        return methods.count == items.count ? methods : nil
    }
}
