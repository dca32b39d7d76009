import EventTransport
import HTTPWire
import ProxyCore

/// What a listener has found about a connection, or about the user of a request, by the configuration in force.
///
/// Confined to the worker's loop. Each connection to a Unix socket whose listener tells its clients apart has its own; all
/// other connections to a listener share one, or have none. A reload replaces it.
final class Admission {
    /// Nil for a listener that takes all apps to all routes.
    let rules: ListenerRules?
    /// The local user; nil over TCP.
    let peer: LocalPeer?
    /// Decides about each request by the user that it names; nil if the connection alone decides.
    let asked: ClientAccess?
    /// The user that the request names; nil if the connection alone decides.
    let user: String?
    /// The user as the access log names it, as a JSON string; empty if the connection alone decides.
    let client: [UInt8]

    init(
        _ rules: ListenerRules?, peer: LocalPeer? = nil, user: String? = nil, eachRequestAsks asked: ClientAccess? = nil
    ) {
        self.rules = rules
        self.peer = peer
        self.asked = asked
        self.user = user
        client = user.map { Array(JSONText.quoted("user:\($0)").utf8) } ?? []
    }
}

/// A terminated tunnel as the side of an app's connection.
///
/// Confined to the worker's loop.
final class ServedTunnel {
    let destination: TerminatedTunnel
    /// The user of the CONNECT; nil if the listener asked for none.
    var login: TunnelLogin?

    init(_ destination: TerminatedTunnel, _ login: TunnelLogin?) {
        self.destination = destination
        self.login = login
    }
}

/// The user of a terminated tunnel's CONNECT.
struct TunnelLogin {
    let user: String
    /// What holds for the user, as long as `access` decides about the listener's clients.
    let admission: Admission
    let access: ClientAccess
    /// The generation of the users whose file had the user.
    let userGeneration: Int

    init(_ user: String, _ admission: Admission, by access: ClientAccess) {
        self.user = user
        self.admission = admission
        self.access = access
        userGeneration = access.userGeneration
    }
}
