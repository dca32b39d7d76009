import ProxyCore

/// Warns of routes that no request reaches, and of credentials that no route uses.
enum UnusedSettings {
    static func look(_ draft: Draft, _ warnings: ProblemList) {
        let listeners = draft.listenersOrDefault
        let ofGateways = Set(listeners.compactMap(\.listener.mode.route))
        let hasForward = listeners.contains { $0.listener.mode == .forward }
        for (index, route) in draft.routes.enumerated() where !ofGateways.contains(route.route.name) {
            guard hasForward || route.route.match.host == .nothing else {
                warnings.add(
                    route.place,
                    "takes no request, because every listener is a gateway to another route; add a listener with mode: "
                        + "forward, or one with route: \(route.route.name)")
                continue
            }
            guard let earlier = draft.routes[..<index].first(where: { $0.route.match.covers(route.route.match) }) else {
                continue
            }
            warnings.add(
                route.place,
                "takes no request, because route \(earlier.route.name) (\(earlier.place.text)) comes first and takes all of its "
                    + "requests; move one of the two or narrow the other's match")
        }
        lookAtForwardListeners(draft, warnings)
        for name in draft.credentialNames where !draft.usesCredential(name) {
            warnings.add(
                draft.credentialPlaces[name] ?? Place(path: "credential \(name)"),
                "no route uses it, so no token is fetched for it; name it in a route or remove it")
        }
    }

    /// Warns of forward listeners without routes, which refuse every request.
    private static func lookAtForwardListeners(_ draft: Draft, _ warnings: ProblemList) {
        guard !draft.routes.isEmpty, !draft.isRoutingFaulty, draft.unmatched == .deny,
            draft.routes.allSatisfy({ $0.route.match.host == .nothing })
        else { return }
        for item in draft.listenersOrDefault where item.listener.mode == .forward {
            warnings.add(
                item.place,
                "refuses every request, because all routes are for gateways; give a route match: { host: … }, or write only "
                    + "gateways in listeners")
        }
    }
}
