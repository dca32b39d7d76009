/// Reads `passwordFile` of a listener: a file with the users of a proxy, which must exist and be usable.
enum PasswordSetting {
    /// The path; nil after a problem.
    static func read(_ setting: Setting, _ context: LoadContext) -> String? {
        guard let path = setting.text(context.problems, what: "the path of a file with lines user:password"),
            let bytes = context.read(path, limit: PasswordLines.byteLimit, for: setting.place)
        else { return nil }
        do throws(PasswordLines.Problem) {
            _ = try PasswordLines(bytes)
            return path
        } catch {
            context.problems.add(setting.place, "the file it names \(error.message)")
            return nil
        }
    }

    /// The users that a file names.
    ///
    /// - Throws: The reason why it cannot be read or used.
    static func users(of path: String, _ files: any FileReader) throws(FileError) -> [String] {
        let bytes = try files.read(path, limit: PasswordLines.byteLimit)
        do throws(PasswordLines.Problem) {
            return try PasswordLines(bytes).users
        } catch {
            throw FileError(error.message)
        }
    }
}
