/// A listener that was read, and is not yet checked against the routes.
struct ListenerDraft {
    var listener: ListenerConfiguration
    /// The place of the listener.
    let place: Place
    /// The place of `route`; nil for a forward listener.
    var routePlace: Place?
    /// The places of the names in `routes`.
    var routePlaces: [Place] = []
    /// The entries of `allow`.
    var allow: [ClientRuleDraft] = []
    /// The place of the option that has made both the listener and its route, whose name is not final yet.
    var ownRoute: Place?
}
