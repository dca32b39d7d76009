import ProxyCore

/// A route that has been read but not yet compared with the rest of the configuration.
struct RouteDraft {
    var route: Route
    /// Where the route stands.
    let place: Place
    /// Nil where the name is the host's.
    let namePlace: Place?
    let credentialPlace: Place
    let upstreamPlace: Place
    /// How a person allows plain text here.
    var plaintextAdvice = "allowPlaintext: true"
}
