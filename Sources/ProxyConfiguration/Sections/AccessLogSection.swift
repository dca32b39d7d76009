/// Reads `accessLog`.
enum AccessLogSection {
    enum Key: String, CaseIterable {
        case path
    }

    static func read(_ setting: Setting, _ context: LoadContext) -> AccessLogDestination? {
        guard var mapping = MappingReader<Key>(setting, context.problems) else { return nil }
        let path = mapping.require(.path, "write stdout, stderr, off or the path of a file")
        mapping.finish(context: "of accessLog")
        return path.flatMap { destination($0, context) }
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
        return .file(path)
    }
}
