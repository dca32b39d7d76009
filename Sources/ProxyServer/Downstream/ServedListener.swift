import EventTransport
import ProxyConfiguration

/// A worker's open listener, and what it does with requests now.
///
/// Confined to the worker's loop. All connections that it has accepted share it.
final class ServedListener {
    private struct State: ~Copyable {
        /// Tells clients apart; nil if the listener takes all alike.
        var clients: ClientAccess?
        /// What holds for every client that `clients` does not tell apart.
        var shared: Admission?
    }

    private let state = Confined(State())

    /// Serves requests by the rules of a listener and its users from now on.
    func serve(
        _ listener: ListenerConfiguration, at address: ListenerAddress, by router: Router, passwords: PasswordFile?
    ) {
        let rules = router.rules(of: listener, at: address)
        let clients = router.clients(of: listener, rules, passwords: passwords)
        state.value.clients = clients
        state.value.shared = clients.map { $0.admission(of: nil) } ?? rules.map { Admission($0) }
    }

    /// What holds for the next request.
    ///
    /// - Parameter client: Nil for a connection over TCP.
    /// - Returns: Nil if a forward listener serves all routes to the client.
    func admission(of client: ServedClient?) -> Admission? {
        if let client, let clients = state.value.clients { return client.admission(by: clients) }
        return state.value.shared
    }
}

/// The client of one connection to a Unix socket.
///
/// Confined to the worker's loop.
final class ServedClient {
    /// The client as the access log names it, as a JSON string; empty if the system does not name it.
    let logName: [UInt8]
    private let peer: LocalPeer?
    /// What `known` comes from.
    private var access: ClientAccess?
    private var known: Admission?

    init(_ peer: LocalPeer?) {
        self.peer = peer
        logName = peer.map { Array("\"uid:\($0.user)\"".utf8) } ?? []
    }

    /// What holds for the client at a listener that tells its clients apart; made once, and again after a reload.
    func admission(by access: ClientAccess) -> Admission {
        if let known, access === self.access { return known }
        let made = access.admission(of: peer)
        (self.access, known) = (access, made)
        return made
    }
}
