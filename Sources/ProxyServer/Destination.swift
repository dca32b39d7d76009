import ProxyCore
import TokenManager

/// Where a request goes and what is attached to it; made once for each route, and shared by its requests.
///
/// If a route leaves the host to the request, it is made once for each host.
final class Destination {
    let endpoint: UpstreamEndpoint
    // A copy of the endpoint's reference: reading it through the endpoint would retain it for each request.
    let upstreamName: UpstreamName
    let rules: UpstreamRequestHead.Rules
    /// Nil if none is attached.
    let credential: RoutedCredential?
    // Copies of what each request needs of the credential: reading them there would retain the credential.
    /// Whether a credential is attached that has one token for all requests.
    let hasSimpleCredential: Bool
    let credentialNumber: Int
    let provesPossession: Bool
    /// Which response makes Attaché fetch another token.
    let refreshOn: RefreshRule
    let timeouts: BackendTimeouts
    /// The upstream's URLs, to be mapped in responses; nil if the app uses the same URLs.
    let urls: UpstreamURLs?
    /// Whether a parent proxy gets its requests, so that a 407 is the proxy's.
    let asksParent: Bool
    /// How long a tunnel to it may be idle.
    let tunnelIdle: BackendTimeouts.Limit
    /// The number of the route; nil for a request that is forwarded without one.
    let route: Int?

    init(
        endpoint: UpstreamEndpoint, rules: UpstreamRequestHead.Rules, timeouts: BackendTimeouts,
        tunnelIdle: BackendTimeouts.Limit, credential: RoutedCredential? = nil, refreshOn: RefreshRule = .never,
        urls: UpstreamURLs? = nil,
        route: Int? = nil
    ) {
        self.endpoint = endpoint
        upstreamName = endpoint.logName
        self.rules = rules
        asksParent = endpoint.askedParent != nil
        self.timeouts = timeouts
        self.tunnelIdle = tunnelIdle
        self.credential = credential
        hasSimpleCredential = credential.map { $0.parameters == nil } ?? false
        credentialNumber = credential?.number ?? -1
        provesPossession = credential?.provesPossession ?? false
        self.refreshOn = refreshOn
        self.urls = urls
        self.route = route
    }
}

/// The credential of a route, as its requests need it.
///
/// A class, so that a request retains one reference instead of one for each part.
final class RoutedCredential {
    /// The credential's number in the worker's table.
    let number: Int
    /// The name of its field in lower case.
    let fieldName: [UInt8]
    /// Reads the parameters that select a token; nil if the credential has one token for all requests.
    let parameters: ParameterReader?
    /// Whether its tokens are bound to a key, so that each sending needs a proof (DPoP).
    let provesPossession: Bool

    init(_ configuration: CredentialConfiguration, number: Int) {
        self.number = number
        fieldName = Array(configuration.header.lowercased().utf8)
        parameters = configuration.parameters.isEmpty ? nil : ParameterReader(configuration.parameters)
        provesPossession = configuration.dpop != nil
    }
}
