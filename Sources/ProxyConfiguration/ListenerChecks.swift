import ProxyCore
import TokenManager

/// The checks of listeners and their routes, which need the whole configuration.
enum ListenerChecks {
    static func check(_ draft: Draft, _ context: LoadContext) {
        var used: Set<String> = []
        for item in draft.listeners ?? [] {
            checkRoutes(item.listener.routes ?? [], item.routePlaces, draft, context.problems)
            for entry in item.allow { checkRoutes(of: entry, item.listener, draft, context.problems) }
            guard case .gateway(let name, _) = item.listener.mode else { continue }
            used.insert(name)
            let place = item.routePlace ?? item.place
            if let route = draft.routes.first(where: { $0.route.name == name })?.route {
                check(route, of: place, draft, context.problems)
            } else if !draft.isRoutingFaulty {
                unknown(name, place, draft, context.problems)
            }
        }
        guard !draft.isListeningFaulty else { return }
        for route in draft.routes where route.route.match.host == .nothing && !used.contains(route.route.name) {
            context.problems.add(
                route.place,
                "has no match.host, so it is for gateways, and no gateway uses it; add match: { host: … }, or a listener "
                    + "with mode: gateway and route: \(route.route.name)")
        }
    }

    /// Warns of Unix sockets that the start could not make, because their folders do not exist now.
    static func lookAtFolders(_ draft: Draft, _ context: LoadContext) {
        let listeners = draft.listenersOrDefault.map { ($0.listener, $0.place) } + (draft.admin.map { [$0] } ?? [])
        for (listener, place) in listeners {
            guard case .unix(let path, _) = listener.address, let slash = path.lastIndex(of: "/") else { continue }
            let folder = slash == path.startIndex ? "/" : String(path[..<slash])
            guard !context.files.isFolder(folder) else { continue }
            context.warnings.add(
                .socketFolderMissing, place,
                "has a Unix socket in a folder that does not exist, so attache would not start; make the folder, or correct the "
                    + "path\(ValueQuotation.suffix(path))")
        }
    }

    /// Checks the routes that an entry of `allow` names.
    private static func checkRoutes(
        of entry: ClientRuleDraft, _ listener: ListenerConfiguration, _ draft: Draft, _ problems: ProblemList
    ) {
        let names = entry.rule.routes ?? []
        checkRoutes(names, entry.routePlaces, draft, problems)
        for (name, place) in zip(names, entry.routePlaces) {
            guard let routes = listener.routes, !routes.contains(name),
                draft.routes.contains(where: { $0.route.name == name })
            else { continue }
            problems.add(
                place, "names a route that the listener does not serve; add \(name) to routes of the listener too")
        }
    }

    /// Checks the routes that a forward listener names.
    private static func checkRoutes(
        _ names: [String], _ places: [Place], _ draft: Draft, _ problems: ProblemList
    ) {
        for (name, place) in zip(names, places) {
            if let route = draft.routes.first(where: { $0.route.name == name })?.route {
                guard route.match.host == .nothing else { continue }
                problems.add(
                    place,
                    "names a route for gateways only; give route \(name) match: { host: … }, or remove it here")
            } else if !draft.isRoutingFaulty {
                unknown(name, place, draft, problems)
            }
        }
    }

    private static func unknown(_ name: String, _ place: Place, _ draft: Draft, _ problems: ProblemList) {
        let names = draft.routes.map(\.route.name)
        let advice =
            if let meant = WordSuggestion.nearest(to: name, among: names) {
                "did you mean \(meant)?"
            } else {
                names.isEmpty ? "add it to routes" : "write \(KnownWords.list(names))"
            }
        problems.add(place, "names a route that does not exist; \(advice)\(ValueQuotation.suffix(name))")
    }

    private static func check(_ route: Route, of place: Place, _ draft: Draft, _ problems: ProblemList) {
        if RouteTable.fixedOrigin(of: route) == nil {
            problems.add(
                place,
                "names a route without a fixed upstream, which a gateway needs; add upstream to "
                    + "route \(route.name)")
        }
        let credential = draft.credentials.first { $0.name == route.credential }
        if credential?.parameters.contains(.host) ?? false {
            problems.add(
                place,
                "names a route whose credential depends on {host}, and a gateway's requests name none; write the host in "
                    + "credential \(route.credential ?? "")")
        }
    }
}
