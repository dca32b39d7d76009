import ProxyCore

/// Where a request goes and what is attached to it on the way; made once a route, or once a host
/// where the route leaves that to the request, and shared by their requests.
final class Destination {
    let endpoint: UpstreamEndpoint
    let rules: ForwardableHead.Rules
    /// The index of a credential in the worker's table; nil attaches none.
    let credential: Int?
    /// Reads which of the credential's tokens a request needs; nil where it has one for all.
    let parameters: ParameterReader?
    /// Which response makes us ask for another token.
    let refreshOn: RefreshRule
    let timeouts: BackendTimeouts
    /// The index of the route; nil for a request that the configuration lets pass without one.
    let routeIndex: Int?

    init(
        endpoint: UpstreamEndpoint, rules: ForwardableHead.Rules, timeouts: BackendTimeouts, credential: Int? = nil,
        parameters: ParameterReader? = nil, refreshOn: RefreshRule = .never, routeIndex: Int? = nil
    ) {
        self.endpoint = endpoint
        self.rules = rules
        self.timeouts = timeouts
        self.credential = credential
        self.parameters = parameters
        self.refreshOn = refreshOn
        self.routeIndex = routeIndex
    }
}
