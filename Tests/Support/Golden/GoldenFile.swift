import FoundationEssentials

/// A case in a text file: an input, a line of ten dashes, and the output that is expected for it.
///
/// Where the environment has `UPDATE_GOLDEN=1`, a comparison writes the output to the file instead.
package struct GoldenFile: Sendable, CustomStringConvertible {
    /// The path below the folder of all cases, without its extension.
    package let name: String
    package let input: String
    package let expected: String
    private let file: URL

    package var description: String { name }

    /// Every `.txt` file in the folder `Golden` beside a test's source file, sub-folders included.
    package static func all(beside source: String) -> [GoldenFile] {
        let folder = URL(filePath: source).deletingLastPathComponent().appending(path: "Golden")
        let paths = (try? FileManager.default.subpathsOfDirectory(atPath: folder.path())) ?? []
        return paths.filter { $0.hasSuffix(".txt") }.sorted().map { path in
            GoldenFile(name: String(path.dropLast(4)), file: folder.appending(path: path))
        }
    }

    private init(name: String, file: URL) {
        self.name = name
        self.file = file
        let text = String(decoding: (try? Data(contentsOf: file)) ?? Data(), as: UTF8.self)
        let parts = text.split(separator: Self.separator, maxSplits: 1, omittingEmptySubsequences: false)
        input = String(parts[0])
        expected = parts.count == 2 ? String(parts[1]) : ""
    }

    /// How `output` differs from what is expected, line by line; nil if it does not, or if it has been recorded.
    package func difference(from output: String) throws -> String? {
        guard output != expected else { return nil }
        guard ProcessInfo.processInfo.environment["UPDATE_GOLDEN"] != "1" else {
            try Data("\(input)\(Self.separator)\(output)".utf8).write(to: file)
            return nil
        }
        return "the output differs from \(file.path()) (UPDATE_GOLDEN=1 records it):\n"
            + TextDifference.lines(from: expected, to: output).joined(separator: "\n")
    }

    private static let separator = "----------\n"
}
