import HTTPWire

/// Reads `resolve`: names, each with an address or a list of addresses.
enum ResolveSection {
    /// Nil if it is not a mapping.
    static func read(_ setting: Setting, _ problems: ProblemList) -> [NameOverride]? {
        switch setting.node.content {
        case .mapping(let entries):
            var seen: Set<String> = []
            return entries.compactMap { read($0, in: setting.place, &seen, problems) }
        case .scalar, .sequence:
            problems.add(
                setting.place,
                "is not a mapping; write names with their addresses, as in { backend.example: 192.0.2.1 }")
            return nil
        case .refused: return nil
        }
    }

    private static func read(
        _ entry: YAMLEntry, in section: Place, _ seen: inout Set<String>, _ problems: ProblemList
    ) -> NameOverride? {
        let place = section.key(KeyText.printable(entry.key), at: entry.keyPosition)
        guard let name = name(entry.key, place, problems) else { return nil }
        guard seen.insert("\(name.host):\(name.port ?? 0)").inserted else {
            problems.add(place, "is given twice; keep one, with all of its addresses in a list")
            return nil
        }
        let value = Setting(
            node: entry.value, place: section.key(KeyText.printable(entry.key), at: entry.value.position))
        guard let addresses = addresses(value, problems) else { return nil }
        let areLocal = addresses.allSatisfy { (try? Host($0))?.isLoopback ?? false }
        guard areLocal || (try? Host(name.host))?.isLoopback != true else {
            problems.add(
                place,
                "means this machine, so its addresses must be loopback addresses; give another machine another name")
            return nil
        }
        return NameOverride(host: name.host, port: name.port, addresses: addresses)
    }

    private static func name(
        _ text: String, _ place: Place, _ problems: ProblemList
    ) -> (host: String, port: UInt16?)? {
        do throws(HostAndPort.Problem) {
            let name = try HostAndPort(text)
            guard name.host.isAddress else { return (name.host.text, name.port) }
            problems.add(place, "is an address, which is never resolved; write a name")
        } catch {
            problems.add(place, "is not a name; write it as in backend.example or backend.example:443")
        }
        return nil
    }

    private static func addresses(_ setting: Setting, _ problems: ProblemList) -> [String]? {
        guard case .sequence = setting.node.content else { return address(setting, problems).map { [$0] } }
        guard let items = setting.items(problems) else { return nil }
        guard !items.isEmpty else {
            problems.add(setting.place, "is empty; write an address")
            return nil
        }
        let addresses = items.compactMap { address($0, problems) }
        return addresses.count == items.count ? addresses : nil
    }

    private static func address(_ setting: Setting, _ problems: ProblemList) -> String? {
        setting.parsed(problems, what: "an IP address") { (text) throws(ValueError) -> String in
            guard let host = try? Host(text), host.isAddress else {
                throw ValueError("is not an IP address; write one as in 192.0.2.1 or \"2001:db8::1\"")
            }
            return host.text
        }
    }
}
