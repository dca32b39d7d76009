private import FoundationEssentials

/// What `check` found, as JSON for programs.
package struct ConfigurationReport {
    private struct Object: Encodable {
        let ok: Bool
        let problems: [Entry]
        let warnings: [Entry]
        let summary: [String]
    }

    private struct Entry: Encodable {
        let file: String?
        let line: Int?
        let column: Int?
        let path: String?
        let message: String

        init(_ problem: Problem) {
            file = problem.file
            line = problem.line
            column = problem.column
            path = problem.path
            message = problem.message
        }
    }

    private let object: Object

    /// A configuration that loads; where `isStrict`, no warning is all right.
    package init(_ configuration: Configuration, warnings: [Problem], isStrict: Bool) {
        object = Object(
            ok: !isStrict || warnings.isEmpty, problems: [], warnings: warnings.map(Entry.init),
            summary: ConfigurationSummary(configuration).lines)
    }

    /// One that does not.
    package init(_ error: ConfigurationError) {
        object = Object(ok: false, problems: error.problems.map(Entry.init), warnings: [], summary: [])
    }

    /// One object, with its keys in alphabetical order.
    package var json: String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        guard let bytes = try? encoder.encode(object) else { preconditionFailure("texts and numbers are always JSON") }
        return String(decoding: bytes, as: UTF8.self)
    }
}
