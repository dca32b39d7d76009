import ProxyCore

/// Warns of routes that no request reaches, and of credentials that no route uses.
enum UnusedSettings {
    static func look(_ draft: Draft, _ warnings: ProblemList) {
        for (index, route) in draft.routes.enumerated() {
            guard let earlier = draft.routes[..<index].first(where: { $0.route.match.covers(route.route.match) }) else {
                continue
            }
            warnings.add(
                route.place,
                "takes no request, because route \(earlier.route.name) (\(earlier.place.text)) comes first and takes all of its "
                    + "requests; move one of the two or narrow the other's match")
        }
        for name in draft.credentialNames where !draft.usesCredential(name) {
            warnings.add(
                draft.credentialPlaces[name] ?? Place(path: "credential \(name)"),
                "no route uses it, so no token is fetched for it; name it in a route or remove it")
        }
    }
}
