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
}
