import FoundationEssentials

/// The object files of one target, in the build folder that the running tests were built into.
struct BuiltModule {
    let objects: [ObjectFile]

    /// Takes only objects whose source is still there: a build folder keeps those of deleted files.
    init(_ name: String) {
        let sources = Set(SourceFile.shipped.filter { $0.module == name }.map(\.name))
        let folder = "\(Self.buildFolder)/\(name).build"
        let files = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        objects =
            files
            .filter { $0.hasSuffix(".swift.o") && sources.contains(String($0.dropLast(2))) }
            .compactMap { ObjectFile(path: "\(folder)/\($0)") }
    }

    private static let buildFolder: String = {
        let executable = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? ""
        return "/" + executable.split(separator: "/").dropLast().joined(separator: "/")
    }()
}
