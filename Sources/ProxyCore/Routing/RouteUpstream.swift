/// Where the requests of a route go.
package enum RouteUpstream: Equatable, Sendable {
    case origin(Origin)
    /// To the requested host over TLS: to the requested port, or 443 if the app named 80 or none.
    case requestedHostOverTLS
}
