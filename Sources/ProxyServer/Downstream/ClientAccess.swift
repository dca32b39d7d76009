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
    private let readsGroups: Bool
    /// The routes of clients, by the numbers of the entries that are for them.
    private var tables: [[Int]: RouteTable] = [:]
    /// What holds for users of TCP connections.
    private var users: [String: Admission] = [:]

    init(_ entries: [ClientRule]?, passwords: PasswordFile?, _ rules: ListenerRules?, offered: RouteTable) {
        self.entries = entries
        self.passwords = passwords
        self.rules = rules
        self.offered = offered
        readsGroups = entries?.contains { $0.group != nil } ?? false
    }

    /// What holds for a connection to a Unix socket.
    func admission(of socket: borrowing Socket) -> Admission {
        admission(of: readsGroups ? LocalPeer(withGroupsOf: socket) : LocalPeer(of: socket))
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
        of head: borrowing RequestHead, in bytes: Span<UInt8>, from peer: LocalPeer?, at now: MonotonicInstant
    ) throws(ProxyError) -> Admission {
        guard let passwords else { preconditionFailure("a listener without users asks a request for its user") }
        let user = try passwords.user(of: head, in: bytes, at: now)
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
            subject: client.subject, entry: client.entry, isAdmitted: !found.isEmpty, own: own, of: offered,
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
    var entry: String { user.map { "username: \($0)" } ?? peer.map { "user: \($0.user)" } ?? "" }

    /// What to do if no entry is for the client; nil if an entry with its keys would be.
    var advice: String? {
        guard user == nil else { return nil }
        guard let peer else { return "let it connect to a Unix socket" }
        guard peer.user == ClientRule.overflowNumber else { return nil }
        return
            "it comes from another user namespace, so let both run in the same one (PrivateUsers=no in a unit of systemd)"
    }
}

extension Router {
    /// Who may use a listener with these rules; nil if all may, without a password.
    ///
    /// - Throws: The reason why the file with the passwords is unusable.
    func clients(
        of listener: ListenerConfiguration, _ rules: ListenerRules?,
        passwords: (String) throws(TransportError) -> PasswordFile
    ) throws(TransportError) -> ClientAccess? {
        guard listener.allow != nil || listener.passwordFile != nil else { return nil }
        var file: PasswordFile?
        if let path = listener.passwordFile { file = try passwords(path) }
        return ClientAccess(listener.allow, passwords: file, rules, offered: rules?.table ?? table)
    }
}
