/// The place of a setting: a line and column of a file, an environment variable, or a flag.
struct Place: Equatable {
    let file: String?
    let position: SourcePosition?
    /// Empty for the whole file.
    let path: String

    init(file: String? = nil, position: SourcePosition? = nil, path: String) {
        self.file = file
        self.position = position
        self.path = path
    }

    /// A key below this place, as `routes[0]` and `match` make `routes[0].match`.
    func key(_ key: String, at position: SourcePosition? = nil) -> Place {
        Place(file: file, position: position, path: path.isEmpty ? key : "\(path).\(key)")
    }

    func item(_ index: Int, at position: SourcePosition? = nil) -> Place {
        Place(file: file, position: position, path: "\(path)[\(index)]")
    }

    /// Whether a user may have written a secret here by mistake, because a neighbouring key holds one.
    var isNearSecrets: Bool {
        path.hasPrefix("credentials.") || path.hasPrefix("VCAP_")
            || OptionName.nearSecrets.contains { path.hasPrefix($0.flag) || path.hasPrefix($0.variable) }
    }

    /// The place as it begins a problem's text: `attache.yaml:2:14: listeners[0].address`.
    var text: String { problem("").description }

    func problem(_ message: String) -> Problem {
        Problem(
            file: file, line: position?.line, column: position?.column, path: path.isEmpty ? nil : path,
            message: message)
    }
}
