import ProxyCore
import TokenManager

/// Where a request goes and what is attached to it on the way; made once a route, or once a host
/// where the route leaves that to the request, and shared by their requests.
final class Destination {
    let endpoint: UpstreamEndpoint
    let rules: UpstreamRequestHead.Rules
    /// Nil attaches none.
    let credential: RoutedCredential?
    /// Which response makes us ask for another token.
    let refreshOn: RefreshRule
    let timeouts: BackendTimeouts
    /// The index of the route; nil for a request that the configuration lets pass without one.
    let routeIndex: Int?

    init(
        endpoint: UpstreamEndpoint, rules: UpstreamRequestHead.Rules, timeouts: BackendTimeouts,
        credential: RoutedCredential? = nil, refreshOn: RefreshRule = .never, routeIndex: Int? = nil
    ) {
        self.endpoint = endpoint
        self.rules = rules
        self.timeouts = timeouts
        self.credential = credential
        self.refreshOn = refreshOn
        self.routeIndex = routeIndex
    }
}

/// The credential of a route, as its requests need it.
///
/// A class, so that a request counts one reference and not one for each part.
final class RoutedCredential {
    /// Its index in the worker's table.
    let index: Int
    /// The field that it is written to, in lower case.
    let fieldName: [UInt8]
    /// Reads which of its tokens a request needs; nil where it has one for all.
    let parameters: ParameterReader?
    /// Whether its tokens are bound to a key, so that each sending needs a proof (DPoP).
    let provesPossession: Bool

    init(_ configuration: CredentialConfiguration, index: Int) {
        self.index = index
        fieldName = Array(configuration.header.lowercased().utf8)
        parameters = configuration.parameters.isEmpty ? nil : ParameterReader(configuration.parameters)
        provesPossession = configuration.dpop != nil
    }
}
