import ProxyCore
import TokenManager

/// Reads a secret: the text itself, `{file: path}` or `{env: NAME}`.
///
/// No message quotes any of them, because a user may write the secret in the wrong place.
enum SecretSetting {
    enum Key: String, CaseIterable {
        case file
        case env
    }

    /// The form of a secret.
    enum Form {
        case line
        /// PEM or a token, which its reader checks.
        case lines
    }

    /// The largest file that is read, in bytes.
    static let byteLimit = 65_536

    static let forms = "the secret, {file: path} or {env: NAME}"

    static func read(_ setting: Setting, as form: Form = .line, _ context: LoadContext) -> Secret? {
        guard case .mapping = setting.node.content else {
            let text =
                switch form {
                case .line: setting.text(context.problems, what: forms, isSecret: true)
                case .lines: setting.lines(context.problems, what: forms)
                }
            return text.flatMap { LiteralSecret.checked($0, setting.place, context) }
        }
        guard var mapping = MappingReader<Key>(setting, context.problems, quoting: .never) else { return nil }
        let file = mapping.take(.file)
        let variable = mapping.take(.env)
        mapping.finish(context: "of a secret")
        return place(file: file, variable: variable, as: form, setting.place, context)
    }

    /// The file or the variable; exactly one of the two is named.
    static func place(
        file: Setting?, variable: Setting?, as form: Form = .line, _ place: Place, _ context: LoadContext
    ) -> Secret? {
        switch (file, variable) {
        case (let file?, nil): return self.file(file, as: form, context)
        case (nil, let variable?): return self.variable(variable, form, context)
        case (nil, nil), (.some, .some):
            context.problems.add(place, "must have exactly one of its keys; write {file: path} or {env: NAME}")
            return nil
        }
    }

    /// The secret itself, to check it.
    static func text(of secret: Secret, _ place: Place, _ context: LoadContext) -> String? {
        switch secret {
        case .literal(let text): text
        case .environment(let name): context.environment[name]
        case .file(let path):
            context.read(path, limit: byteLimit, for: place).map { String(decoding: $0, as: UTF8.self) }
        }
    }

    static func file(_ setting: Setting, as form: Form = .line, _ context: LoadContext) -> Secret? {
        guard let path = setting.text(context.problems, what: "a path"),
            let bytes = context.read(path, limit: byteLimit, for: setting.place)
        else { return nil }
        let text = String(decoding: bytes, as: UTF8.self)
        guard !SecretLine.isEmpty(text) else {
            context.problems.add(setting.place, "the file it names is empty; put the secret into it")
            return nil
        }
        guard isComplete(text, form, "the file that it names", setting.place, context) else { return nil }
        return .file(path: path)
    }

    private static func variable(_ setting: Setting, _ form: Form, _ context: LoadContext) -> Secret? {
        guard let name = setting.text(context.problems, what: "the name of an environment variable") else { return nil }
        guard let value = context.environment[name], !SecretLine.isEmpty(value) else {
            context.problems.add(
                setting.place, "the environment variable that it names is not set; set it or correct the name")
            return nil
        }
        guard isComplete(value, form, "the environment variable that it names", setting.place, context) else {
            return nil
        }
        LiteralSecret.warnOfPlaceholder(value, setting.place, context)
        return .environment(name: name)
    }

    /// Whether a text has the required form.
    private static func isComplete(
        _ text: String, _ form: Form, _ source: String, _ place: Place, _ context: LoadContext
    ) -> Bool {
        guard form == .line, let problem = SecretLine.problem(SecretLine.trimmed(text)) else { return true }
        context.problems.add(place, "\(source) \(problem)")
        return false
    }
}

/// Checks a secret in the configuration itself for common mistakes.
enum LiteralSecret {
    private static let placeholders = ["change-me", "changeme", "change_me"]
    private static let fileMarks = ["file:", "@/", "./", "../", "~/"]

    /// The secret; nil after a report of a shell variable or the path of a file.
    ///
    /// A placeholder is a warning.
    static func checked(_ text: String, _ place: Place, _ context: LoadContext) -> Secret? {
        if let name = VariableReference.only(in: text) {
            context.problems.add(
                place, "is ${\(name)}, and variables are not replaced here; write { env: \(name) } instead")
            return nil
        }
        guard !isPath(text, context) else {
            context.problems.add(place, "is the path of a file and not the secret; write {file: path}")
            return nil
        }
        warnOfPlaceholder(text, place, context)
        return .literal(text)
    }

    /// Warns of a placeholder that was copied from an example.
    static func warnOfPlaceholder(_ text: String, _ place: Place, _ context: LoadContext) {
        guard placeholders.contains(text.lowercased()) else { return }
        context.warnings.add(
            .placeholderSecret, place, "is still the placeholder \(text.lowercased()) of an example; write the secret")
    }

    /// Whether a text names an existing file, or a path below a folder of the root.
    private static func isPath(_ text: String, _ context: LoadContext) -> Bool {
        if fileMarks.contains(where: text.hasPrefix) { return true }
        guard text.hasPrefix("/") else { return false }
        return context.isBelowFolder(text) || (try? context.files.read(text, limit: 65_536)) != nil
    }
}
