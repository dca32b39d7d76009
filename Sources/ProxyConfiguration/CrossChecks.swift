import HTTPWire
import ProxyCore
import TokenManager

/// The checks that need the whole configuration: names that must exist or be unique, and plain text.
enum CrossChecks {
    static func check(_ draft: Draft, _ context: LoadContext) {
        let problems = context.problems
        cacheSize(draft, context.warnings)
        addresses(draft, problems)
        let onBehalf = Set(draft.credentials.filter(\.source.takesSubjectFromRequest).map(\.name))
        let bound = Set(draft.credentials.filter { $0.dpop != nil }.map(\.name))
        for route in draft.routes {
            credential(of: route, draft, problems)
            plaintext(of: route, problems)
            deniedTargets(of: route, context.warnings)
            guard let name = route.route.credential, route.route.authorization == .keep else { continue }
            if onBehalf.contains(name) {
                problems.add(
                    route.credentialPlace,
                    "exchanges the app's own Authorization, which authorization: keep forwards; remove one of the two")
            } else if bound.contains(name) {
                problems.add(
                    route.credentialPlace,
                    "has dpop, so an app's own Authorization, which authorization: keep forwards, would lose its "
                        + "proof; remove one of the two")
            }
        }
    }

    private static func cacheSize(_ draft: Draft, _ warnings: ProblemList) {
        let count = draft.credentials.count { credential in
            guard draft.usesCredential(credential.name) else { return false }
            return switch credential.source {
            case .file, .fixed: false
            default: true
            }
        }
        guard draft.cacheSize < count else { return }
        warnings.add(
            draft.cacheSizePlace,
            "is less than the \(count) credentials whose tokens are fetched, so tokens evict each other and "
                + "are fetched again and again; write \(count) or more")
    }

    private static func addresses(_ draft: Draft, _ problems: ProblemList) {
        var seen: Set<String> = []
        let listeners = draft.listenersOrDefault.map { ($0.listener, $0.place) }
        for (listener, place) in listeners + (draft.admin.map { [$0] } ?? []) where listener.port != 0 {
            if !seen.insert(listener.description).inserted {
                problems.add(place, "is the address of another listener too; choose another port")
            }
        }
    }

    private static func credential(of draftRoute: RouteDraft, _ draft: Draft, _ problems: ProblemList) {
        guard let name = draftRoute.route.credential, !draft.credentialNames.contains(name) else { return }
        let advice: String
        if name == BoundCredential.name {
            advice = "VCAP_SERVICES holds no bound service"
        } else if let meant = WordSuggestion.nearest(to: name, among: draft.credentialNames) {
            advice = "did you mean \(meant)?"
        } else if draft.credentialNames.isEmpty {
            advice = "add it under credentials"
        } else {
            advice = "write \(KnownWords.list(draft.credentialNames + ["none"]))"
        }
        problems.add(
            draftRoute.credentialPlace,
            "names a credential that does not exist; \(advice)\(ValueQuotation.suffix(name))")
    }

    private static func plaintext(of draftRoute: RouteDraft, _ problems: ProblemList) {
        let route = draftRoute.route
        guard case .origin(let origin) = route.upstream, origin.scheme == .http, !origin.isLoopback,
            route.credential != nil, !route.allowPlaintext
        else { return }
        problems.add(
            draftRoute.upstreamPlace,
            "would carry the credential in plain text over the network; "
                + "use https:// or set \(draftRoute.plaintextAdvice)")
    }

    /// Warns of a route for port 443 that refuses `https://` URLs, which use that port.
    private static func deniedTargets(of draftRoute: RouteDraft, _ warnings: ProblemList) {
        let route = draftRoute.route
        guard route.deniesHTTPSTargets, route.match.port == .exactly(443) else { return }
        warnings.add(
            draftRoute.upstreamPlace,
            "is http://, so the route answers https:// URLs with 403; use https:// or set \(draftRoute.plaintextAdvice)"
        )
    }
}

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
