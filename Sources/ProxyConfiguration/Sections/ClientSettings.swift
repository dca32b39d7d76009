import ProxyCore

/// The keys of a listener that limit its clients.
struct ClientSettings {
    let allow: Setting?
    let passwordFile: Setting?

    /// The listener with these settings; nil after a problem.
    func apply(to draft: ListenerDraft, _ context: LoadContext) -> ListenerDraft? {
        let before = context.problems.count
        var draft = draft
        if let passwordFile {
            draft.listener.passwordFile = PasswordSetting.read(passwordFile, context)
            if draft.listener.mode.route != nil {
                context.problems.add(
                    passwordFile.place,
                    "belongs to a forward listener, because apps send Proxy-Authorization only to a proxy; limit a gateway by a "
                        + "Unix socket with allow")
            }
        }
        if let allow {
            guard let rules = AllowSection.read(allow, context) else { return nil }
            draft.allow = rules
            draft.listener.allow = rules.map(\.rule)
            check(rules, allow, draft.listener, context)
        }
        return context.problems.count == before ? draft : nil
    }

    private func check(
        _ rules: [ClientRuleDraft], _ allow: Setting, _ listener: ListenerConfiguration, _ context: LoadContext
    ) {
        if listener.mode.route != nil, let routes = rules.compactMap(\.routesPlace).first {
            context.problems.add(routes, "belongs to a forward listener; a gateway has one route, under route")
        }
        for rule in rules {
            guard let place = rule.usernamePlace, let username = rule.rule.username else { continue }
            if passwordFile == nil {
                context.problems.add(
                    place, "needs a passwordFile of the listener; add it, or write user: for a local user")
            } else if let path = listener.passwordFile {
                context.check(.userWithoutPassword, place) { files throws(FileError) in
                    try PasswordSetting.users(of: path, files).contains(username)
                        ? nil : "has no line in the passwordFile; add it there, or correct the name"
                }
            }
        }
        let isLocal = rules.contains { $0.rule.user != nil || $0.rule.group != nil }
        switch listener.address {
        case .unix(let path, let file):
            guard !path.hasPrefix("@"), file.mode & 0o022 == 0 else { return }
            context.warnings.add(
                .socketModeTooNarrow, allow.place,
                "is for nobody but the owner of the socket, because socketMode is 0\(String(file.mode, radix: 8)); set "
                    + "socketMode: 0666, so that the clients can connect and allow decides")
        case .tcp where isLocal:
            context.problems.add(
                allow.place,
                "names local users, and the system tells them only on a Unix socket; write address: unix:/path, or "
                    + "username and a passwordFile")
        case .tcp, .systemd: break
        }
    }
}
