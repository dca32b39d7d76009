import Testing

@Suite("Files and names")
struct FileShapeTests {
    private static let emptySuffixes = ["Manager", "Handler", "Helper", "Util", "Utils", "Impl", "Data", "Info"]
    private static let emptyFileNames = ["Utils", "Helpers", "Common", "Extensions", "Misc"]

    @Test("The source files are found")
    func found() { #expect(SourceFile.shipped.count >= 8) }

    @Test("No file is longer than 400 lines")
    func length() {
        for file in SourceFile.shipped {
            #expect(file.lines.count <= 400, "\(file.path) has \(file.lines.count) lines; it wants splitting")
        }
    }

    @Test("A file is named after its content")
    func fileName() {
        for file in SourceFile.shipped {
            let stem = file.name.dropLast(".swift".count)
            #expect(!Self.emptyFileNames.contains { stem.hasSuffix($0) }, "\(file.path) says nothing of its contents")
        }
    }

    @Test("No type has a name that only says it is a helper")
    func typeName() {
        for file in SourceFile.shipped {
            for (index, line) in file.code.enumerated() {
                guard let match = line.firstMatch(of: declaration) else { continue }
                let name = String(match.name)
                #expect(
                    name == "TokenManager" || !Self.emptySuffixes.contains { name.hasSuffix($0) },
                    "\(file.path):\(index + 1): \(name)")
            }
        }
    }

    @Test("Every outermost type that another module can see has a doc comment")
    func documented() {
        for file in SourceFile.shipped {
            for (index, line) in file.code.enumerated() {
                guard line.contains(/^(?:package|public)\s/), let match = line.firstMatch(of: declaration) else {
                    continue
                }
                let above = file.lines[..<index].last { !$0.contains(/^\s*@/) } ?? ""
                #expect(
                    above.drop { $0 == " " }.hasPrefix("/// "),
                    "\(file.path):\(index + 1): \(match.name) has no doc comment")
            }
        }
    }

    private let declaration: Regex<(Substring, name: Substring)> =
        /^\s*(?:(?:@\w+(?:\([^)]*\))?|public|package|internal|fileprivate|private|final|indirect|nonisolated)\s+)*(?:class|struct|enum|actor|protocol|typealias)\s+(?!func |var )(?<name>\w+)/
}
