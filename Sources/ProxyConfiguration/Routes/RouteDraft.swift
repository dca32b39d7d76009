import ProxyCore

/// A route that was read, and is not yet checked against the rest of the configuration.
struct RouteDraft {
    var route: Route
    /// The place of the route.
    let place: Place
    /// The place of `name`; nil without one.
    let namePlace: Place?
    let credentialPlace: Place
    let upstreamPlace: Place
    /// The setting that allows plain text for this route, as named in messages.
    var plaintextAdvice = "allowPlaintext: true"
}
