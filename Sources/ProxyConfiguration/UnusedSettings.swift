import ProxyCore

/// Warns of routes that no request reaches, of listeners that refuse every request, and of credentials that no route uses.
enum UnusedSettings {
    static func look(_ draft: Draft, _ warnings: WarningList) {
        let listeners = draft.listenersOrDefault.flatMap(\.listener.views)
        let ofGateways = Set(listeners.compactMap(\.mode.route))
        for (index, route) in draft.routes.enumerated() where !ofGateways.contains(route.route.name) {
            let serving = listeners.filter { $0.forwards(route.route.name) }
            guard !serving.isEmpty || route.route.match.host == .nothing else {
                let reason = unserved(route.route.name, by: listeners)
                warnings.add(.routeUnreachable, route.place, "takes no request, because \(reason)")
                continue
            }
            // A listener that does not serve the earlier route leaves its requests to this one.
            let earlier = draft.routes[..<index].first { earlier in
                earlier.route.match.covers(route.route.match) && serving.allSatisfy { $0.forwards(earlier.route.name) }
            }
            guard let earlier else { continue }
            warnings.add(
                .routeUnreachable, route.place,
                "takes no request, because route \(earlier.route.name) (\(earlier.place.text)) comes first and takes all of its "
                    + "requests; move one of the two or narrow the other's match")
        }
        lookAtForwardListeners(draft, warnings)
        for name in draft.credentialNames where !draft.usesCredential(name) {
            warnings.add(
                .credentialUnused, draft.credentialPlaces[name] ?? Place(path: "credential \(name)"),
                "no route uses it, so no token is fetched for it; name it in a route or remove it")
        }
    }

    private static func unserved(_ name: String, by listeners: [ListenerConfiguration]) -> String {
        listeners.contains { $0.mode == .forward }
            ? "no listener serves it; add \(name) to routes of one, or of an entry of its allow"
            : "every listener is a gateway to another route; add a listener with mode: forward, or one with route: \(name)"
    }

    /// Warns of forward listeners without routes, which refuse every request.
    private static func lookAtForwardListeners(_ draft: Draft, _ warnings: WarningList) {
        guard !draft.routes.isEmpty, !draft.isRoutingFaulty, draft.unmatched == .deny, draft.connect.allow.isEmpty
        else { return }
        for item in draft.listenersOrDefault where item.listener.mode == .forward {
            let served = draft.routes.map(\.route).filter { item.listener.forwards($0.name) }
            guard served.allSatisfy({ $0.match.host == .nothing }) else { continue }
            warnings.add(
                .listenerRefusesAll, item.place,
                served.isEmpty
                    ? "refuses every request, because it serves no route; name one in routes"
                    : "refuses every request, because all routes are for gateways; give a route match: { host: … }, or write only "
                        + "gateways in listeners")
        }
    }
}
