/// An entry of a listener's `allow`: clients that may use it, and the routes that they may use.
package struct ClientRule: Equatable, Sendable, CustomStringConvertible {
    /// The number that the system shows for every user and group that this process's user namespace lacks
    /// (user_namespaces(7)).
    package static let overflowNumber: UInt32 = 65534

    /// The number of the local user; nil for every user of the group.
    package var user: UInt32?
    /// The number of a group of the local user; nil for every group.
    package var group: UInt32?
    /// The name in the listener's password file; nil for every user there.
    package var username: String?
    /// The names of the routes; nil for all of the listener's.
    package var routes: [String]?

    package init(user: UInt32? = nil, group: UInt32? = nil, username: String? = nil, routes: [String]? = nil) {
        self.user = user
        self.group = group
        self.username = username
        self.routes = routes
    }

    /// Whether the clients may use a route of the listener.
    package func takes(_ route: String) -> Bool { routes?.contains(route) ?? true }

    /// The clients, as in `user 1000 in group 33`, or `username app`.
    package var clients: String {
        [username.map { "username \($0)" }, user.map { "user \($0)" }, group.map { "group \($0)" }].compactMap(\.self)
            .joined(separator: " in ")
    }

    package var description: String {
        guard let routes else { return clients }
        return "\(clients) (route\(routes.count == 1 ? "" : "s") \(routes.joined(separator: ", ")))"
    }
}
