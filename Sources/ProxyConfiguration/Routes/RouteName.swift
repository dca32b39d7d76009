import ProxyCore

/// Names of routes, as they come into logs and metrics.
enum RouteName {
    static func read(_ setting: Setting, _ problems: ProblemList) -> String? {
        guard let name = setting.text(problems, what: "a name") else { return nil }
        guard KeyText.isName(name) else {
            setting.refuse(problems, "is not a name; write letters, digits, \".\", \"_\" and \"-\"")
            return nil
        }
        return name
    }

    /// The name of a route that was given none.
    static func standard(for host: HostPattern) -> String {
        switch host {
        case .exact(let host): host
        case .suffix(let suffix): "*\(suffix)"
        }
    }

    /// Gives each route without a name of its own one that no other has: `a.example`, `a.example-2`, `a.example-3`.
    ///
    /// Two names that a person chose alike are reported.
    static func makeUnique(_ routes: inout [RouteDraft], _ problems: ProblemList) {
        var taken: Set<String> = []
        for route in routes {
            guard let place = route.namePlace, !taken.insert(route.route.name).inserted else { continue }
            problems.add(
                place,
                "is a route of a name that another has; give each its own name"
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
