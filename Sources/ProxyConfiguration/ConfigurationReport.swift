private import FoundationEssentials
import ProxyCore

/// The result of `check` as JSON.
package struct ConfigurationReport {
    private struct Object: Encodable {
        let ok: Bool
        let problems: [Entry]
        let warnings: [Entry]
        let summary: [String]
        /// The report of the request, if `--url` is given.
        let request: RequestReport?
    }

    private struct Entry: Encodable {
        let file: String?
        let line: Int?
        let column: Int?
        let path: String?
        let message: String
        /// The code of a warning, and the heading that explains it.
        let code: String?
        let documentation: String?

        init(_ problem: Problem) {
            file = problem.file
            line = problem.line
            column = problem.column
            path = problem.path
            message = problem.message
            code = problem.code?.rawValue
            documentation = problem.code?.documentation
        }
    }

    private let object: Object

    /// The report of a configuration that loads; a refused request makes it not ok, as does a warning if `isStrict`.
    package init(
        _ configuration: Configuration, warnings: [Problem], isStrict: Bool, request: RequestReport? = nil
    ) {
        object = Object(
            ok: (!isStrict || warnings.isEmpty) && request?.refusal == nil, problems: [],
            warnings: warnings.map(Entry.init),
            summary: ConfigurationSummary(configuration).lines, request: request)
    }

    /// The report of a configuration that loads, with a request that no client can send.
    package init(_ configuration: Configuration, warnings: [Problem], wrongRequest problem: Problem) {
        object = Object(
            ok: false, problems: [Entry(problem)], warnings: warnings.map(Entry.init),
            summary: ConfigurationSummary(configuration).lines, request: nil)
    }

    /// The report of a wrong option, because of which no configuration is loaded.
    package init(_ problem: Problem) {
        object = Object(ok: false, problems: [Entry(problem)], warnings: [], summary: [], request: nil)
    }

    /// The report of a configuration that does not load.
    package init(_ error: ConfigurationError) {
        object = Object(
            ok: false, problems: error.problems.map(Entry.init), warnings: [], summary: [], request: nil)
    }

    /// One object, with its keys in alphabetical order.
    package var json: String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        guard let bytes = try? encoder.encode(object) else { preconditionFailure("texts and numbers are always JSON") }
        return String(decoding: bytes, as: UTF8.self)
    }
}
