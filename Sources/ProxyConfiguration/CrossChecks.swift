import HTTPWire
import ProxyCore
import TokenManager

/// The checks that need the whole configuration: names that must exist or be unique, and plain text.
enum CrossChecks {
    static func check(_ draft: Draft, _ context: LoadContext) {
        let problems = context.problems
        cacheSize(draft, context.warnings)
        addresses(draft, problems)
        waitForIdle(draft, problems)
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

    private static func cacheSize(_ draft: Draft, _ warnings: WarningList) {
        let count = draft.credentials.count { credential in
            guard draft.usesCredential(credential.name) else { return false }
            return switch credential.source {
            case .file, .fixed: false
            default: true
            }
        }
        guard draft.cacheSize < count else { return }
        warnings.add(
            .cacheTooSmall, draft.cacheSizePlace,
            "is less than the \(count) credentials whose tokens are fetched, so tokens evict each other and "
                + "are fetched again and again; write \(count) or more")
    }

    private static func addresses(_ draft: Draft, _ problems: ProblemList) {
        var seen: Set<String> = []
        let listeners = draft.listenersOrDefault.map { ($0.listener, $0.place) }
        for (listener, place) in listeners + (draft.admin.map { [$0] } ?? []) where listener.address.port != 0 {
            if !seen.insert(listener.description).inserted {
                let part = listener.port != nil ? "port" : listener.address.isUnix ? "path" : "socket"
                problems.add(place, "is the address of another listener too; choose another \(part)")
            }
        }
    }

    private static func waitForIdle(_ draft: Draft, _ problems: ProblemList) {
        guard draft.shutdown.waitForIdle > .zero, draft.shutdown.drainDelay == .zero else { return }
        problems.add(
            draft.waitForIdlePlace,
            "has no effect without drainDelay, which it ends early; set drainDelay to the longest time to wait "
                + "for clients")
    }

    /// Warns of a `waitForIdle` that cannot end `drainDelay` early.
    static func lookAtWaitForIdle(_ draft: Draft, _ warnings: WarningList) {
        let shutdown = draft.shutdown
        guard shutdown.drainDelay > .zero, shutdown.waitForIdle >= shutdown.drainDelay else { return }
        warnings.add(
            .settingWithoutEffect, draft.waitForIdlePlace,
            "is not shorter than drainDelay, so it never ends the delay early; lower it, or raise drainDelay")
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
    private static func deniedTargets(of draftRoute: RouteDraft, _ warnings: WarningList) {
        let route = draftRoute.route
        guard route.deniesHTTPSTargets, route.match.port == .exactly(443) else { return }
        warnings.add(
            .plaintextDenied, draftRoute.upstreamPlace,
            "is http://, so the route answers https:// URLs with 403; use https:// or set \(draftRoute.plaintextAdvice)"
        )
    }
}
