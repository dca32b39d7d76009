import ProxyCore

/// Reads `accessLog`.
enum AccessLogSection {
    enum Key: String, CaseIterable {
        case path
        case fields
    }

    /// What the section says; each part is nil if it has a problem or is absent.
    struct Content {
        var destination: AccessLogDestination?
        var fields: [AccessLogField]?
    }

    static func read(_ setting: Setting, _ context: LoadContext) -> Content? {
        guard var mapping = MappingReader<Key>(setting, context.problems) else { return nil }
        let fields = mapping.take(.fields)
        let advice = "write stdout, stderr, off or the path of a file"
        let path = fields == nil ? mapping.require(.path, advice) : mapping.take(.path)
        mapping.finish(context: "of accessLog")
        return Content(
            destination: path.flatMap { destination($0, context) },
            fields: fields.flatMap { self.fields($0, context.problems) })
    }

    static func destination(_ setting: Setting, _ context: LoadContext) -> AccessLogDestination? {
        guard let path = setting.text(context.problems, what: "stdout, stderr, off or the path of a file") else {
            return nil
        }
        switch path {
        case "stdout": return .standardOutput
        case "stderr": return .standardError
        case "off": return .off
        default: break
        }
        let slash = path.lastIndex(of: "/")
        let folder = slash.map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
        guard context.files.isFolder(folder) else {
            setting.refuse(
                context.problems, "names a file in a folder that does not exist; make the folder or correct the path")
            return nil
        }
        guard !context.files.isFolder(path) else {
            setting.refuse(context.problems, "names a folder; write the path of a file")
            return nil
        }
        if slash == nil, let meant = WordSuggestion.nearest(to: path, among: ["stdout", "stderr", "off"]) {
            context.warnings.add(
                .valueMisspelt, setting.place,
                "names a file \(path); did you mean \(meant)? Write ./\(path) if the file is meant")
        }
        return .file(path)
    }

    // MARK: - Fields

    /// Stands for the fields of a line without a choice.
    static let standardWord = "default"

    private static func fields(_ setting: Setting, _ problems: ProblemList) -> [AccessLogField]? {
        guard let items = setting.items(problems) else { return nil }
        guard !items.isEmpty else {
            problems.add(setting.place, "is empty; write the names of fields, or path: off for no access log")
            return nil
        }
        var fields: [AccessLogField] = []
        var isFaulty = false
        for item in items {
            guard let found = field(item, problems) else {
                isFaulty = true
                continue
            }
            guard Set(found).isDisjoint(with: fields) else {
                item.refuse(problems, "names a field that the list has already; remove it")
                isFaulty = true
                continue
            }
            fields += found
        }
        return isFaulty ? nil : fields
    }

    private static func field(_ item: Setting, _ problems: ProblemList) -> [AccessLogField]? {
        guard let name = item.text(problems, what: "the name of a field") else { return nil }
        if name == standardWord { return AccessLogField.standard }
        if let field = AccessLogField(rawValue: name) { return [field] }
        let names = AccessLogField.allCases.map(\.rawValue)
        if let meant = WordSuggestion.nearest(to: name, among: names + [standardWord]) {
            item.refuse(problems, "is not a field of the access log; did you mean \(meant)?")
        } else {
            item.refuse(
                problems, "is not a field of the access log; the fields are \(KnownWords.list(names)), and default")
        }
        return nil
    }
}
