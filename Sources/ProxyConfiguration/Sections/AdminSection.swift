/// Reads `admin`: the address of the admin listener.
enum AdminSection {
    enum Key: String, CaseIterable {
        case address
        case allowNonLoopback
    }

    /// The consequence of an admin listener that other machines can reach, as the rest of a sentence.
    static let consequence = "would see routes, credentials' names and states"

    static func read(_ setting: Setting, _ problems: ProblemList) -> ListenerConfiguration? {
        guard var mapping = MappingReader<Key>(setting, problems) else { return nil }
        let address = mapping.require(.address, "write host:port, as in 127.0.0.1:9901")
        let allows = mapping.take(.allowNonLoopback)?.boolean(problems)
        mapping.finish(context: "of admin")
        return address.flatMap {
            ListenerSection.address($0, allowsNonLoopback: allows ?? false, consequence: consequence, problems)
        }
    }
}
