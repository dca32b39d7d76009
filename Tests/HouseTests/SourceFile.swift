import FoundationEssentials
import Testing

/// One Swift file of the package: its lines as written, and the same lines without comments and string contents.
struct SourceFile: CustomTestStringConvertible, Sendable {
    /// Relative to the package's root, such as `Sources/HTTPWire/Head/Method.swift`.
    let path: String
    let lines: [String]
    /// As `lines`, with every comment removed and every string literal emptied.
    let code: [String]

    var testDescription: String { path }
    var name: String { String(path.split(separator: "/").last ?? "") }
    /// The target that the file belongs to; its folder under `Sources` or `Tests` bears the same name.
    var module: String { String(path.split(separator: "/").dropFirst().first ?? "") }

    init(path: String, text: String) {
        self.path = path
        var scanner = CommentScanner()
        lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        code = lines.map { scanner.code(in: $0) }
    }
}

extension SourceFile {
    /// The folder of `Package.swift`, three levels above this file.
    static let packageRoot = "/" + #filePath.split(separator: "/").dropLast(3).joined(separator: "/")

    /// Every Swift file that ships.
    static let shipped: [SourceFile] = files(under: "Sources")

    private static func files(under folder: String) -> [SourceFile] {
        let found = (try? FileManager.default.subpathsOfDirectory(atPath: "\(packageRoot)/\(folder)")) ?? []
        return found.filter { $0.hasSuffix(".swift") }.sorted().compactMap { path in
            let file = "\(packageRoot)/\(folder)/\(path)"
            guard let bytes = try? Data(contentsOf: URL(filePath: file)) else { return nil }
            return SourceFile(path: "\(folder)/\(path)", text: String(decoding: bytes, as: UTF8.self))
        }
    }
}
