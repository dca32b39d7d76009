/// Reads the items of `listeners`, and the address of `admin`.
enum ListenerSection {
    enum Key: String, CaseIterable {
        case address
        case mode
        case route
        case hosts
        case allowNonLoopback
    }

    enum Mode: String, CaseIterable {
        case forward
        case gateway
    }

    static let defaultAddress = ListenerConfiguration(host: "127.0.0.1", port: 3128)

    static func read(_ setting: Setting, _ problems: ProblemList) -> ListenerDraft? {
        guard var mapping = MappingReader<Key>(setting, problems) else { return nil }
        let address = mapping.require(.address, "write host:port, as in 127.0.0.1:3128")
        let allows = mapping.take(.allowNonLoopback)?.boolean(problems)
        let modeSetting = mapping.take(.mode)
        let mode = modeSetting.map { $0.word(Mode.self, problems) } ?? .forward
        let route = mapping.take(.route)
        let hosts = mapping.take(.hosts)
        mapping.finish(context: "of a listener")
        let listener = address.flatMap { self.address($0, allowsNonLoopback: allows ?? false, problems) }
        switch mode {
        case nil: return nil
        case .forward:
            for stray in [route, hosts].compactMap(\.self) {
                problems.add(stray.place, "belongs to a gateway; add mode: gateway, or remove it")
            }
            return listener.map { ListenerDraft(listener: $0, place: setting.place) }
        case .gateway:
            guard let route else {
                problems.add(
                    modeSetting?.place ?? setting.place,
                    "needs a route; add route: and the name of the one that takes the requests")
                return nil
            }
            let name = route.text(problems, what: "the name of a route")
            let names = hosts.map { self.hosts($0, problems) } ?? []
            guard var listener, let name, let names else { return nil }
            listener.mode = .gateway(route: name, hosts: names)
            return ListenerDraft(listener: listener, place: setting.place, routePlace: route.place)
        }
    }

    /// The names by which apps may address a gateway.
    private static func hosts(_ setting: Setting, _ problems: ProblemList) -> [String]? {
        guard let items = setting.items(problems) else { return nil }
        let hosts = items.compactMap { $0.parsed(problems, what: "a host name", HostText.parse(whole:)) }
        return hosts.count == items.count ? hosts : nil
    }

    static func address(
        _ setting: Setting, allowsNonLoopback: Bool, advice: String = "allowNonLoopback: true",
        consequence: String = "would use the credentials too", _ problems: ProblemList
    ) -> ListenerConfiguration? {
        guard var listener = setting.parsed(problems, what: "host:port", AddressText.parse) else { return nil }
        listener.place = setting.place.text
        guard listener.isLoopback || allowsNonLoopback else {
            setting.refuse(
                problems,
                "can be reached from other machines, which \(consequence); "
                    + "use 127.0.0.1 or set \(advice)")
            return nil
        }
        return listener
    }
}
