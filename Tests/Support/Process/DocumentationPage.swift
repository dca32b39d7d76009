import FoundationEssentials

/// A page of the documentation, as it stands in the repository.
package struct DocumentationPage: Sendable {
    /// The file's name without its extension.
    package let name: String
    package let lines: [String]

    /// Every page, by name.
    package static let all: [DocumentationPage] = {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: catalog.path())) ?? []
        return names.filter { $0.hasSuffix(".md") }.sorted().map { DocumentationPage(file: $0) }
    }()

    private init(file: String) {
        name = String(file.dropLast(3))
        let bytes = (try? Data(contentsOf: Self.catalog.appending(path: file))) ?? Data()
        lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
            .map { String(decoding: $0, as: UTF8.self) }
    }

    /// The contents of the code blocks in a language.
    package func blocks(of language: String) -> [String] {
        var blocks: [String] = []
        var block: String?
        for line in lines {
            if let open = block {
                block = line == "```" ? nil : open + line + "\n"
                if block == nil { blocks.append(open) }
            } else if line == "```\(language)" {
                block = ""
            }
        }
        return blocks
    }

    private static let catalog = packageRoot.appending(path: "Sources/attache/Documentation.docc")
    private static let packageRoot = (0..<4).reduce(URL(filePath: #filePath)) { path, _ in
        path.deletingLastPathComponent()
    }
}
