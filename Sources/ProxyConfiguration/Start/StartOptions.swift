/// The settings of command line and environment together: a flag goes before the variable of the same name.
struct StartOptions {
    let flags: Flags
    let environment: [String: String]

    /// An empty variable counts as unset, as `ATTACHE_ADMIN=${ADMIN:-}` leaves it.
    func first(_ name: OptionName) -> Setting? {
        if let text = flags.values(name).first { return Setting(text: text, place: Place(path: name.flag)) }
        guard let text = environment[name.variable], !text.isEmpty else { return nil }
        return Setting(text: text, place: Place(path: name.variable))
    }

    /// Whether the setting comes from the command line.
    func isFlag(_ name: OptionName) -> Bool { !flags.values(name).isEmpty }

    /// Every value of a setting that may be given several times; in a variable with commas or spaces between.
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
