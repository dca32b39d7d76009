import EventTransport
import HTTPWire
import ProxyConfiguration
import ProxyCore

/// What a listener does with requests, if it is not a proxy for all routes.
///
/// Confined to the worker's loop.
final class ListenerRules {
    /// Nil for a forward listener.
    let gateway: Gateway?
    /// The routes of the listener.
    let table: RouteTable
    /// What the client may not do at the listener; nil if the listener admits all clients to all of its routes.
    let client: ClientLimits?

    init(gateway: Gateway?, table: RouteTable, client: ClientLimits? = nil) {
        self.gateway = gateway
        self.table = table
        self.client = client
    }
}

extension Router {
    /// The rules of a listener; nil for a forward listener that serves all routes.
    func rules(of listener: ListenerConfiguration, at address: ListenerAddress) -> ListenerRules? {
        switch listener.mode {
        case .forward: listener.routes.map { ListenerRules(gateway: nil, table: table.serving($0)) }
        case .gateway(let route, let hosts):
            ListenerRules(gateway: gateway(to: route, hosts: hosts, at: address), table: table)
        }
    }
}
