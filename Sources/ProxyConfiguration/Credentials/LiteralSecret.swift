import TokenManager

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
        context.warnings.add(place, "is still the placeholder \(text.lowercased()) of an example; write the secret")
    }

    /// Whether a text names an existing file, or a path below a folder of the root.
    private static func isPath(_ text: String, _ context: LoadContext) -> Bool {
        if fileMarks.contains(where: text.hasPrefix) { return true }
        guard text.hasPrefix("/") else { return false }
        return context.isBelowFolder(text) || (try? context.files.read(text, limit: 65_536)) != nil
    }
}
