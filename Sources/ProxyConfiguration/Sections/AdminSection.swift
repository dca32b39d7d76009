/// Reads `admin`: the address of the admin listener.
enum AdminSection {
    enum Key: String, CaseIterable {
        case address
        case socketMode
        case socketUser
        case socketGroup
        case hosts
        case allowNonLoopback
    }

    /// The consequence of an admin listener that other machines can reach, as the rest of a sentence.
    static let consequence = "would see routes, credentials' names and states"

    static func read(_ setting: Setting, _ context: LoadContext) -> ListenerConfiguration? {
        guard var mapping = MappingReader<Key>(setting, context.problems) else { return nil }
        let address = mapping.require(.address, "write host:port, as in 127.0.0.1:9901, or unix:/path")
        let allows = mapping.take(.allowNonLoopback)
        let file = SocketFileSettings(
            mode: mapping.take(.socketMode), user: mapping.take(.socketUser), group: mapping.take(.socketGroup))
        let hosts = mapping.take(.hosts)
        mapping.finish(context: "of admin")
        let listener = address.flatMap {
            ListenerSection.address($0, allowsNonLoopback: allows, file, consequence: consequence, context)
        }
        let names = hosts.map { ListenerSection.hosts($0, of: listener, context.problems) } ?? []
        guard var listener, let names else { return nil }
        listener.hosts = names
        return listener
    }
}
