/// Reads the addresses of listeners: the items of `listeners`, and `admin`.
enum ListenerSection {
    enum Key: String, CaseIterable {
        case address
        case mode
        case route
        case allowNonLoopback
    }

    enum Mode: String, CaseIterable {
        case forward
    }

    static let defaultAddress = ListenerConfiguration(host: "127.0.0.1", port: 3128)

    static func read(_ setting: Setting, _ problems: ProblemList) -> ListenerConfiguration? {
        guard var mapping = MappingReader<Key>(setting, problems) else { return nil }
        let address = mapping.require(.address, "write host:port, as in 127.0.0.1:3128")
        let allows = mapping.take(.allowNonLoopback)?.boolean(problems)
        _ = mapping.take(.mode)?.word(Mode.self, later: ["gateway"], problems)
        mapping.refuse(.route)
        mapping.finish(context: "of a listener")
        return address.flatMap { self.address($0, allowsNonLoopback: allows ?? false, problems) }
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
