/// Reads `allow` of a listener: which clients may use it, and which of its routes.
enum AllowSection {
    enum Key: String, CaseIterable {
        case user
        case group
        case username
        case routes
    }

    /// Nil after a problem.
    static func read(_ setting: Setting, _ context: LoadContext) -> [ClientRuleDraft]? {
        guard let items = setting.items(context.problems) else { return nil }
        guard !items.isEmpty else {
            context.problems.add(
                setting.place,
                "is empty, so every request would be refused; add an entry as in { user: app, routes: [orders] }, or remove it"
            )
            return nil
        }
        let rules = items.compactMap { rule($0, context) }
        return rules.count == items.count ? rules : nil
    }

    private static func rule(_ setting: Setting, _ context: LoadContext) -> ClientRuleDraft? {
        let problems = context.problems
        guard var keys = MappingReader<Key>(setting, problems) else { return nil }
        let before = problems.count
        let user = keys.take(.user).flatMap { account($0, AccountSetting.user, "user", context) }
        let group = keys.take(.group).flatMap { account($0, AccountSetting.group, "group", context) }
        let username = keys.take(.username)
        let name = username.flatMap { $0.text(problems, what: "a name of the passwordFile") }
        let routes = keys.take(.routes)
        keys.finish(context: "of an entry of allow")
        let items = routes.flatMap { $0.items(problems) }
        let names = items?.compactMap { $0.text(problems, what: "the name of a route") }
        guard problems.count == before else { return nil }
        guard user != nil || group != nil || name != nil else {
            problems.add(
                setting.place,
                "names no client; add user: or group: for local users, or username: for those of the "
                    + "passwordFile")
            return nil
        }
        return ClientRuleDraft(
            rule: ClientRule(user: user, group: group, username: name, routes: names), place: setting.place,
            usernamePlace: username?.place,
            routesPlace: routes?.place, routePlaces: items?.map(\.place) ?? [])
    }

    private static func account(
        _ setting: Setting, _ read: (Setting, LoadContext) -> UInt32?, _ what: String, _ context: LoadContext
    ) -> UInt32? {
        guard let number = read(setting, context) else { return nil }
        guard number != ClientRule.overflowNumber else {
            context.problems.add(
                setting.place,
                "is \(ClientRule.overflowNumber), which the system also shows for every \(what) of other user namespaces; choose another "
                    + what)
            return nil
        }
        return number
    }
}

/// An entry of `allow` that was read, and is not yet checked against the routes.
struct ClientRuleDraft {
    let rule: ClientRule
    let place: Place
    /// The place of `username`; nil without it.
    let usernamePlace: Place?
    /// The place of `routes`; nil without it.
    let routesPlace: Place?
    /// The places of the names in `routes`.
    let routePlaces: [Place]
}
