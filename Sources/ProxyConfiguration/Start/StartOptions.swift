/// The settings of command line and environment; a flag overrides the variable of the same name.
struct StartOptions {
    let flags: Flags
    let environment: [String: String]

    /// The setting; an empty variable counts as unset, as in `ATTACHE_ADMIN=${ADMIN:-}`.
    func first(_ name: OptionName) -> Setting? {
        if let text = flags.values(name).first { return Setting(text: text, place: Place(path: name.flag)) }
        guard let text = environment[name.variable], !text.isEmpty else { return nil }
        return Setting(text: text, place: Place(path: name.variable))
    }

    /// Whether the setting comes from the command line.
    func isFlag(_ name: OptionName) -> Bool { !flags.values(name).isEmpty }

    /// All values of a repeatable setting; a variable separates them with commas or spaces.
    func all(_ name: OptionName) -> [Setting] {
        let given = flags.values(name)
        if !given.isEmpty { return settings(given, path: name.flag) }
        let words = (environment[name.variable] ?? "").split { $0 == "," || $0.isWhitespace }
        return settings(words.map { String($0) }, path: name.variable)
    }

    func isOn(_ name: OptionName, _ problems: ProblemList) -> Bool {
        guard let setting = first(name), case .scalar(let text, _) = setting.node.content else { return false }
        switch text {
        case "true", "1": return true
        case "false", "0": return false
        default:
            problems.add(setting.place, "is not a boolean; write true or false")
            return false
        }
    }

    private func settings(_ texts: [String], path: String) -> [Setting] {
        texts.enumerated().map { index, text in
            Setting(text: text, place: texts.count == 1 ? Place(path: path) : Place(path: path).item(index))
        }
    }
}
