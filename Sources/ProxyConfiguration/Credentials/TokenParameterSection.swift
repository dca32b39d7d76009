import TokenManager

/// Reads `parameters`, more fields of the token request, and `claims`, more claims of an assertion.
///
/// A value may be a password, so none is quoted.
enum TokenParameterSection {
    static func read(_ setting: Setting, reserved: Set<String>, _ context: LoadContext) -> [TokenParameter] {
        let entries: [YAMLEntry]
        switch setting.node.content {
        case .mapping(let found): entries = found
        case .scalar, .sequence:
            let problem = setting.node.isNull ? "has no value" : "is not a mapping"
            context.problems.add(setting.place, "\(problem); write names and values, as in tenant: north")
            return []
        case .refused: return []
        }
        var parameters: [TokenParameter] = []
        for entry in entries {
            // Without the name: in a flow mapping without a colon, a value becomes a name.
            let place = setting.place.key("?", at: entry.keyPosition)
            if reserved.contains(entry.key) {
                context.problems.add(place, "\(entry.key) has a key of its own; remove it here")
            } else if entry.key.isEmpty || entry.key.utf8.contains(where: { $0 < 0x21 || $0 == 0x7f }) {
                context.problems.add(place, "is not a parameter's name; write a word")
            } else if parameters.contains(where: { $0.name == entry.key }) {
                context.problems.add(place, "is given twice; keep one")
            } else if let value = value(entry, place, context) {
                parameters.append(TokenParameter(name: entry.key, value: value))
            }
        }
        return parameters
    }

    private static func value(_ entry: YAMLEntry, _ place: Place, _ context: LoadContext) -> String? {
        let place = Place(file: place.file, position: entry.value.position, path: place.path)
        let setting = Setting(node: entry.value, place: place)
        return TokenServerSettings.constant(setting, what: "a text", isSecret: true, context)
    }
}
