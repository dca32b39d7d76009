import EventTransport

/// What a listener has found about a connection when it accepted it.
///
/// Confined to the worker's loop. Each connection to a Unix socket has its own; the connections to a TCP listener share
/// one, or have none.
final class Admission {
    /// Nil for a listener that takes all apps to all routes.
    let rules: ListenerRules?
    /// The client as the access log names it, as a JSON string; empty if nothing is known.
    let client: [UInt8]

    init(_ rules: ListenerRules?, _ peer: LocalPeer? = nil) {
        self.rules = rules
        client = peer.map { Array("\"uid:\($0.user)\"".utf8) } ?? []
    }
}
