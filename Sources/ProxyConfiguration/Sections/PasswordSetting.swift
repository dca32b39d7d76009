/// Reads `passwordFile` of a listener: a file with the users of a proxy, which must exist and be usable.
enum PasswordSetting {
    /// The path and the users; nil after a problem.
    static func read(_ setting: Setting, _ context: LoadContext) -> (path: String, users: Set<String>)? {
        guard let path = setting.text(context.problems, what: "the path of a file with lines user:password"),
            let bytes = context.read(path, limit: PasswordLines.byteLimit, for: setting.place)
        else { return nil }
        do throws(PasswordLines.Problem) {
            return (path, Set(try PasswordLines(bytes).users))
        } catch {
            context.problems.add(setting.place, "the file it names \(error.message)")
            return nil
        }
    }
}
