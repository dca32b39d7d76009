import EventTransport
import HTTPWire

/// What a listener has found about a connection when it accepted it, or about the user of a request.
///
/// Confined to the worker's loop. Each connection to a Unix socket has its own; the connections to a TCP listener share
/// one, or have none.
final class Admission {
    /// Nil for a listener that takes all apps to all routes.
    let rules: ListenerRules?
    /// The local user; nil over TCP.
    let peer: LocalPeer?
    /// Decides about each request by the user that it names; nil if the connection alone decides.
    let asked: ClientAccess?
    /// The client as the access log names it, as a JSON string; empty if nothing is known.
    let client: [UInt8]

    init(
        _ rules: ListenerRules?, peer: LocalPeer? = nil, user: String? = nil, eachRequestAsks asked: ClientAccess? = nil
    ) {
        self.rules = rules
        self.peer = peer
        self.asked = asked
        let name = user.map { "user:\($0)" } ?? peer.map { "uid:\($0.user)" }
        client = name.map { Array(JSONText.quoted($0).utf8) } ?? []
    }
}
