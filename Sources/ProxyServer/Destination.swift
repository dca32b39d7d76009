import ProxyCore

/// Where a request goes and what is attached to it on the way; made once a route, and shared by its requests.
final class Destination {
    let endpoint: UpstreamEndpoint
    let rules: ForwardableHead.Rules
    /// The index of a credential in the worker's table; nil attaches none.
    let credential: Int?
    /// The index of the route; nil for a request that the configuration lets pass without one.
    let routeIndex: Int?

    init(endpoint: UpstreamEndpoint, rules: ForwardableHead.Rules, credential: Int?, routeIndex: Int?) {
        self.endpoint = endpoint
        self.rules = rules
        self.credential = credential
        self.routeIndex = routeIndex
    }
}
