import EventTransport
import HTTPWire
import ProxyConfiguration
import ProxyCore

/// Decides which clients a listener admits, and to which of its routes.
///
/// Confined to the worker's loop.
final class ClientAccess {
    /// Nil if every client may use all routes.
    private let entries: [ClientRule]?
    /// The users that requests must name; nil if the client's connection alone decides.
    private let passwords: PasswordFile?
    /// The rules for a client that may use all routes.
    private let rules: ListenerRules?
    /// The routes of the listener.
    private let offered: RouteTable
    /// The numbers of all routes, by their indices.
    private let numbers: [Int]
    /// The routes of clients, by the numbers of the entries that are for them.
    private var tables: [[Int]: RouteTable] = [:]
    /// What holds for users of TCP connections.
    private var users: [String: Admission] = [:]

    init(
        _ entries: [ClientRule]?, passwords: PasswordFile?, _ rules: ListenerRules?, offered: RouteTable, numbers: [Int]
    ) {
        self.entries = entries
        self.passwords = passwords
        self.rules = rules
        self.offered = offered
        self.numbers = numbers
    }

    /// What holds for a connection from this local user; nil for a connection over TCP.
    func admission(of peer: LocalPeer?) -> Admission {
        passwords == nil
            ? admission(of: Client(peer: peer, user: nil)) : Admission(rules, peer: peer, eachRequestAsks: self)
    }

    /// What holds for a request on such a connection, by the user that it names.
    ///
    /// - Throws: The refusal of a request that names none.
    func admission(
        of head: borrowing RequestHead, in bytes: Span<UInt8>, from peer: LocalPeer?
    ) throws(ProxyError) -> Admission {
        guard let passwords else { preconditionFailure("a listener without users asks a request for its user") }
        return admission(ofUser: try passwords.user(of: head, in: bytes), from: peer)
    }

    /// Increases with every change of the users.
    var userGeneration: Int { passwords?.generation ?? 0 }

    /// What holds inside the tunnel of a user who logged in before a reload, or before the users changed.
    ///
    /// - Throws: The refusal, if the user is none of the listener's any more.
    func admission(ofKnown user: String, from peer: LocalPeer?) throws(ProxyError) -> Admission {
        guard let passwords, passwords.names(user) else { throw LoginRefusals.gone }
        return admission(ofUser: user, from: peer)
    }

    private func admission(ofUser user: String, from peer: LocalPeer?) -> Admission {
        if peer == nil, let known = users[user] { return known }
        let admission = admission(of: Client(peer: peer, user: user))
        if peer == nil { users[user] = admission }
        return admission
    }

    private func admission(of client: Client) -> Admission {
        guard let entries else { return Admission(rules, peer: client.peer, user: client.user) }
        let found = entries.indices.filter { client.isMeant(by: entries[$0]) }
        let own = found.isEmpty ? offered.serving([]) : table(of: found, entries)
        let limits = ClientLimits(
            subject: client.subject, entry: client.entry, isAdmitted: !found.isEmpty, own: own, of: offered, numbers,
            advice: client.advice)
        return Admission(
            ListenerRules(gateway: rules?.gateway, table: own, client: limits), peer: client.peer, user: client.user)
    }

    /// The routes of all these entries together.
    private func table(of found: [Int], _ entries: [ClientRule]) -> RouteTable {
        if let known = tables[found] { return known }
        let isUnlimited = found.contains { entries[$0].routes == nil }
        let table = offered.serving(isUnlimited ? nil : found.flatMap { entries[$0].routes ?? [] })
        tables[found] = table
        return table
    }
}

/// Who sends a request, as far as a listener knows.
private struct Client {
    /// The local user; nil over TCP.
    let peer: LocalPeer?
    /// The user that the request names, with the right password; nil if the listener does not ask.
    let user: String?

    /// Whether an entry is for the client.
    ///
    /// A user or group without a number in this user namespace is nobody's.
    func isMeant(by rule: ClientRule) -> Bool {
        if let username = rule.username, username != user { return false }
        if let number = rule.user, number != peer?.user || number == ClientRule.overflowNumber { return false }
        guard let group = rule.group else { return true }
        guard let peer, group != ClientRule.overflowNumber else { return false }
        return group == peer.group || peer.otherGroups.contains(group)
    }

    /// The client as the subject of a sentence.
    var subject: String {
        if let user { return "The user \(user)" }
        return peer.map { "The local user with the number \($0.user)" } ?? "A client that the system does not name"
    }

    /// The keys of an entry that is for the client.
    var entry: String {
        [peer.map { "user: \($0.user)" }, user.map { "username: \($0)" }].compactMap { $0 }.joined(separator: ", ")
    }

    /// What to do if no entry is for the client; nil if an entry with its keys would be.
    var advice: String? {
        guard user == nil else { return nil }
        guard let peer else { return "let it connect to a Unix socket" }
        guard peer.user == ClientRule.overflowNumber else { return nil }
        return
            "allow cannot name this user, which is nobody or belongs to another user namespace; run the client as another user, "
            + "in the user namespace of attache (PrivateUsers=no in a systemd unit)"
    }
}

extension Router {
    /// Who may use a listener with these rules and users; nil if all may, without a password.
    func clients(
        of listener: ListenerConfiguration, _ rules: ListenerRules?, passwords: PasswordFile?
    ) -> ClientAccess? {
        guard listener.allow != nil || passwords != nil else { return nil }
        return ClientAccess(
            listener.allow, passwords: passwords, rules, offered: rules?.table ?? table, numbers: routeNumbers)
    }
}
