import EventTransport
import ProxyConfiguration
import ProxyCore

/// Decides which clients a listener admits, and to which of its routes.
///
/// Confined to the worker's loop.
final class ClientAccess {
    private let entries: [ClientRule]
    private let gateway: Gateway?
    /// The routes of the listener.
    private let offered: RouteTable
    private let readsGroups: Bool
    /// The routes of clients, by the numbers of the entries that are for them.
    private var tables: [[Int]: RouteTable] = [:]

    init(_ entries: [ClientRule], gateway: Gateway?, offered: RouteTable) {
        self.entries = entries
        self.gateway = gateway
        self.offered = offered
        readsGroups = entries.contains { $0.group != nil }
    }

    /// What holds for a connection to a Unix socket.
    func admission(of socket: borrowing Socket) -> Admission {
        admission(of: readsGroups ? LocalPeer(withGroupsOf: socket) : LocalPeer(of: socket))
    }

    func admission(of peer: LocalPeer?) -> Admission {
        let found = entries.indices.filter { entries[$0].isFor(peer) }
        let own = found.isEmpty ? offered.serving([]) : table(of: found)
        return Admission(
            ListenerRules(gateway: gateway, table: own, client: limits(of: peer, isAdmitted: !found.isEmpty, own)), peer
        )
    }

    /// The routes of all these entries together.
    private func table(of found: [Int]) -> RouteTable {
        if let known = tables[found] { return known }
        let isUnlimited = found.contains { entries[$0].routes == nil }
        let table = offered.serving(isUnlimited ? nil : found.flatMap { entries[$0].routes ?? [] })
        tables[found] = table
        return table
    }

    private func limits(of peer: LocalPeer?, isAdmitted: Bool, _ own: RouteTable) -> ClientLimits {
        guard let peer else {
            return ClientLimits(
                subject: "A client that the system does not name", entry: "", isAdmitted: false, own: own, of: offered,
                advice: "let it connect to a Unix socket")
        }
        let isForeign = peer.user == ClientRule.overflowNumber
        return ClientLimits(
            subject: "The local user with the number \(peer.user)", entry: "user: \(peer.user)", isAdmitted: isAdmitted,
            own: own, of: offered,
            advice: isForeign
                ? "it comes from another user namespace, so let both run in the same one (PrivateUsers=no in a unit of systemd)"
                : nil)
    }
}

extension ClientRule {
    /// Whether the entry is for the clients of this user and its groups.
    ///
    /// A user or group without a number in this user namespace is nobody's.
    fileprivate func isFor(_ peer: LocalPeer?) -> Bool {
        guard let peer else { return false }
        if let user, user != peer.user || user == Self.overflowNumber { return false }
        guard let group else { return true }
        return group != Self.overflowNumber && (group == peer.group || peer.otherGroups.contains(group))
    }
}

extension Router {
    /// Who may use a listener with these rules; nil if all may.
    func clients(of listener: ListenerConfiguration, _ rules: ListenerRules?) -> ClientAccess? {
        listener.allow.map { ClientAccess($0, gateway: rules?.gateway, offered: rules?.table ?? table) }
    }
}
