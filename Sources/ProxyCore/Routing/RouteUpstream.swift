/// Where the requests of a route go.
package enum RouteUpstream: Equatable, Sendable {
    case origin(Origin)
    /// To the host asked for, over TLS: to the port asked for, or 443 if the app named 80 or none.
    case requestedHostOverTLS
}
