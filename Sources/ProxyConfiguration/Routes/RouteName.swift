import ProxyCore

/// Names of routes, for logs and metrics.
enum RouteName {
    static func read(_ setting: Setting, _ problems: ProblemList) -> String? {
        guard let name = setting.text(problems, what: "a name") else { return nil }
        guard KeyText.isName(name) else {
            setting.refuse(problems, "is not a name; write letters, digits, \".\", \"_\" and \"-\"")
            return nil
        }
        return name
    }

    /// The name of a route without `name`: its host, else that of its upstream.
    static func standard(for host: HostPattern, upstream: Origin? = nil) -> String {
        switch host {
        case .exact(let host): host
        case .suffix(let suffix): "*\(suffix)"
        case .nothing: upstream?.host ?? "any"
        }
    }

    /// Makes the names of routes without `name` unique: `a.example`, `a.example-2`, `a.example-3`.
    ///
    /// Two equal names that a person chose are reported.
    static func makeUnique(_ routes: inout [RouteDraft], _ problems: ProblemList) {
        var taken: Set<String> = []
        for route in routes {
            guard let place = route.namePlace, !taken.insert(route.route.name).inserted else { continue }
            problems.add(
                place,
                "is the name of another route too; give each route its own name"
                    + ValueQuotation.suffix(route.route.name))
        }
        for index in routes.indices where routes[index].namePlace == nil {
            let host = routes[index].route.name
            var count = 1
            while !taken.insert(routes[index].route.name).inserted {
                count += 1
                routes[index].route.name = "\(host)-\(count)"
            }
        }
    }
}
