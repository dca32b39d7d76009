import Testing

@Suite("Imports")
struct ImportRuleTests {
    @Test("Each file imports only what its module may")
    func imports() throws {
        for file in SourceFile.shipped {
            let rule = try #require(
                ImportRule.all.first { $0.module == file.module }, "\(file.module) has no row among the import rules")
            for (index, line) in file.code.enumerated() {
                guard let (access, name) = Self.importedModule(line) else { continue }
                #expect(rule.allows(name), "\(file.path):\(index + 1): \(file.module) may not import \(name)")
                #expect(
                    !Self.isLibraryOfC(name) || access == "private" || access == "internal" || access.isEmpty,
                    "\(file.path):\(index + 1): no type of C leaves the module that imports it")
            }
        }
    }

    @Test("The rules order the modules, and each one uses only those before it")
    func order() {
        var above: Set<String> = ["CAres", "CBuild", "CByteScan", "CLibevent", "COpenSSL", "CYAML"]
        for rule in ImportRule.all {
            #expect(rule.own.isSubset(of: above), "\(rule.module)")
            above.insert(rule.module)
        }
    }

    @Test("Access level and module are read from an import line")
    func reading() throws {
        let kind = try #require(Self.importedModule("@preconcurrency package import struct Logging.Logger"))
        #expect(kind == ("package", "Logging"))
        let plain = try #require(Self.importedModule("import HTTPWire"))
        #expect(plain == ("", "HTTPWire"))
        #expect(Self.importedModule("important()") == nil)
    }

    private static func isLibraryOfC(_ name: String) -> Bool {
        ["CAres", "CBuild", "CByteScan", "CLibevent", "COpenSSL", "CYAML"].contains(name)
    }

    private static func importedModule(_ line: String) -> (access: String, name: String)? {
        let pattern =
            /^\s*(?:@\w+(?:\(\w+\))?\s+)*(?:(public|package|internal|fileprivate|private)\s+)?import\s+(?:(?:struct|class|enum|protocol|func|var|let|typealias)\s+)?(\w+)/
        guard let match = line.firstMatch(of: pattern) else { return nil }
        return (String(match.1 ?? ""), String(match.2))
    }
}
