/// Reads the items of `listeners`, and the address of `admin`.
enum ListenerSection {
    enum Key: String, CaseIterable {
        case address
        case mode
        case route
        case routes
        case hosts
        case allow
        case passwordFile
        case socketMode
        case socketUser
        case socketGroup
        case allowNonLoopback
    }

    enum Mode: String, CaseIterable {
        case forward
        case gateway
    }

    static let defaultAddress = ListenerConfiguration(host: "127.0.0.1", port: 3128)

    static func read(_ setting: Setting, _ context: LoadContext) -> ListenerDraft? {
        let problems = context.problems
        guard var mapping = MappingReader<Key>(setting, problems) else { return nil }
        let addressSetting = mapping.require(.address, "write host:port, as in 127.0.0.1:3128, or unix:/path")
        let allows = mapping.take(.allowNonLoopback)
        let modeSetting = mapping.take(.mode)
        let mode = modeSetting.map { $0.word(Mode.self, problems) } ?? .forward
        let route = mapping.take(.route)
        let routes = mapping.take(.routes)
        let hosts = mapping.take(.hosts)
        let clients = ClientSettings(allow: mapping.take(.allow), passwordFile: mapping.take(.passwordFile))
        let file = SocketFileSettings(
            mode: mapping.take(.socketMode), user: mapping.take(.socketUser), group: mapping.take(.socketGroup))
        mapping.finish(context: "of a listener")
        let listener = addressSetting.flatMap { address($0, allowsNonLoopback: allows, file, context) }
        return read(
            mode, modeSetting, listener, route: route, routes: routes, hosts: hosts, setting.place, problems
        ).flatMap { clients.apply(to: $0, context) }
    }

    /// The listener in its mode, without its clients.
    private static func read(
        _ mode: Mode?, _ modeSetting: Setting?, _ listener: ListenerConfiguration?, route: Setting?, routes: Setting?,
        hosts: Setting?, _ place: Place, _ problems: ProblemList
    ) -> ListenerDraft? {
        switch mode {
        case nil: return nil
        case .forward:
            for stray in [route, hosts].compactMap(\.self) {
                problems.add(stray.place, "belongs to a gateway; add mode: gateway, or remove it")
            }
            return forward(listener, routes, place, problems)
        case .gateway:
            if let routes {
                problems.add(routes.place, "belongs to a forward listener; a gateway has one route, under route")
            }
            guard let route else {
                problems.add(
                    modeSetting?.place ?? place,
                    "needs a route; add route: and the name of the one that takes the requests")
                return nil
            }
            let name = route.text(problems, what: "the name of a route")
            let names = hosts.map { self.hosts($0, of: listener, problems) } ?? []
            guard var listener, let name, let names else { return nil }
            listener.mode = .gateway(route: name, hosts: names)
            return ListenerDraft(listener: listener, place: place, routePlace: route.place)
        }
    }

    private static func forward(
        _ listener: ListenerConfiguration?, _ routes: Setting?, _ place: Place, _ problems: ProblemList
    ) -> ListenerDraft? {
        guard let routes else { return listener.map { ListenerDraft(listener: $0, place: place) } }
        guard let items = routes.items(problems) else { return nil }
        let names = items.compactMap { $0.text(problems, what: "the name of a route") }
        guard var listener, names.count == items.count else { return nil }
        listener.routes = names
        return ListenerDraft(listener: listener, place: place, routePlaces: items.map(\.place))
    }

    /// The names by which requests may address a gateway or the admin listener.
    static func hosts(
        _ setting: Setting, of listener: ListenerConfiguration?, _ problems: ProblemList
    ) -> [String]? {
        if let listener, listener.address.isUnix {
            problems.add(
                setting.place, "has no effect on a Unix socket, where requests may name any host; remove it")
            return nil
        }
        guard let items = setting.items(problems) else { return nil }
        let hosts = items.compactMap { $0.parsed(problems, what: "a host name", HostText.parse(whole:)) }
        return hosts.count == items.count ? hosts : nil
    }

    /// The address of a listener of the file.
    static func address(
        _ setting: Setting, allowsNonLoopback: Setting?, _ file: SocketFileSettings,
        consequence: String = "would use the credentials too", _ context: LoadContext
    ) -> ListenerConfiguration? {
        let allows = allowsNonLoopback?.boolean(context.problems) ?? false
        let listener = address(
            setting, allowsNonLoopback: allows, consequence: consequence, context.problems)
        if let place = allowsNonLoopback?.place, allows, let listener, listener.address.isUnix {
            context.problems.add(place, "has no effect on a Unix socket, which no other machine can reach; remove it")
            return nil
        }
        guard let listener else { return nil }
        return file.apply(to: listener, context)
    }

    static func address(
        _ setting: Setting, allowsNonLoopback: Bool, advice: String = "allowNonLoopback: true",
        consequence: String = "would use the credentials too", _ problems: ProblemList
    ) -> ListenerConfiguration? {
        guard let address = setting.parsed(problems, what: "host:port or unix:/path", AddressText.parse) else {
            return nil
        }
        var listener = ListenerConfiguration(address: address)
        if case .systemd(let name, _) = address {
            listener = ListenerConfiguration(address: .systemd(name, allowsNonLoopback: allowsNonLoopback))
        }
        listener.place = setting.place.text
        guard address.isLoopback || allowsNonLoopback else {
            setting.refuse(
                problems,
                "can be reached from other machines, which \(consequence); "
                    + "use 127.0.0.1 or set \(advice)")
            return nil
        }
        return listener
    }
}
