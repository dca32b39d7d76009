/// Looks through the environment for variables that begin as ours do and are not ours.
///
/// One that is near a known name is a slip and an error; of the rest a person is only told, since other programs may
/// use the prefix. What Kubernetes sets for a service that is called attache-something is nobody's slip.
enum UnknownVariables {
    private static let prefix = "ATTACHE_"

    static func check(_ context: LoadContext) {
        let known = OptionName.allCases.map(\.variable)
        let endings = known.map { String($0.dropFirst(prefix.count)) }
        for name in context.environment.keys.sorted() where name.hasPrefix(prefix) && !known.contains(name) {
            guard !isServiceLink(name), KeyText.isWord(name) else { continue }
            // The prefix that all share makes no name near another.
            if let meant = WordSuggestion.nearest(to: String(name.dropFirst(prefix.count)), among: endings) {
                context.problems.add(Place(path: name), "unknown variable; did you mean \(prefix)\(meant)?")
            } else {
                context.warnings.add(
                    Place(path: name), "unknown variable, ignored; each option of attache run has one of its name")
            }
        }
    }

    private static func isServiceLink(_ name: String) -> Bool {
        name.hasSuffix("_SERVICE_HOST") || name.firstRange(of: "_SERVICE_PORT") != nil || name.hasSuffix("_PORT")
            || name.firstRange(of: "_TCP") != nil || name.firstRange(of: "_UDP") != nil
    }
}
