package import ProxyCore

/// One problem of the configuration, with its place.
///
/// Its text quotes the wrong value, unless the setting holds a secret.
package struct Problem: Error, Equatable, Sendable, CustomStringConvertible {
    package let file: String?
    /// The line, from 1; nil if the problem is not in a file.
    package let line: Int?
    /// The column in characters, from 1.
    package let column: Int?
    /// The setting: `routes[0].match.host`, `ATTACHE_LISTEN` or `--listen`; nil for the file as a whole.
    package let path: String?
    /// What is wrong and what to do.
    package let message: String
    /// The code of a warning, which is a finding too; nil for a problem that makes the configuration unusable.
    package let code: FindingCode?

    package init(
        file: String? = nil, line: Int? = nil, column: Int? = nil, path: String? = nil, message: String,
        code: FindingCode? = nil
    ) {
        self.file = file
        self.line = line
        self.column = column
        self.path = path
        self.message = message
        self.code = code
    }

    package var description: String {
        var place: [String] = []
        if let file { place.append(file) }
        if let line { place.append(String(line)) }
        if let column { place.append(String(column)) }
        let parts = [place.joined(separator: ":"), path ?? "", message]
        return parts.filter { !$0.isEmpty }.joined(separator: ": ")
    }

    /// The line of `check` for a warning.
    package var warningText: String { "warning: \(self)" + (code.map { " [\($0.rawValue)]" } ?? "") }
}

/// Collects the problems of a configuration while it is read, so that a person sees all of them at once.
///
/// Confined to the call that loads. A reader adds a problem here and continues with nil.
final class ProblemList {
    private var problems: [Problem] = []

    var isEmpty: Bool { problems.isEmpty }
    var count: Int { problems.count }

    /// The problems without a file first, then by line and column.
    var sorted: [Problem] {
        problems.enumerated().sorted { left, right in
            let leftKey = (left.element.line ?? 0, left.element.column ?? 0, left.offset)
            let rightKey = (right.element.line ?? 0, right.element.column ?? 0, right.offset)
            return leftKey < rightKey
        }.map(\.element)
    }

    func add(_ place: Place, _ message: String) {
        problems.append(place.problem(message))
    }

    fileprivate func add(_ problem: Problem) { problems.append(problem) }
}

/// Collects the warnings about a configuration, each of which is a finding and has a code.
///
/// Confined to the call that loads.
final class WarningList {
    private let problems = ProblemList()

    /// The warnings without a file first, then by line and column.
    var sorted: [Problem] { problems.sorted }

    func add(_ code: FindingCode, _ place: Place, _ message: String) { add(place.problem(message, code: code)) }

    func add(_ warning: Problem) { problems.add(warning) }
}

/// All problems of a configuration, in the order of the file; never empty.
package struct ConfigurationError: Error, Equatable, Sendable, CustomStringConvertible {
    package let problems: [Problem]

    /// The problems, one on each line.
    package var description: String { problems.map(\.description).joined(separator: "\n") }
}

extension ConfigurationError {
    package init(_ problem: Problem) { self.init(problems: [problem]) }
}

/// The place of a setting: a line and column of a file, an environment variable, or a flag.
struct Place: Equatable {
    let file: String?
    let position: SourcePosition?
    /// Empty for the whole file.
    let path: String

    init(file: String? = nil, position: SourcePosition? = nil, path: String) {
        self.file = file
        self.position = position
        self.path = path
    }

    /// A key below this place, as `routes[0]` and `match` make `routes[0].match`.
    func key(_ key: String, at position: SourcePosition? = nil) -> Place {
        Place(file: file, position: position, path: path.isEmpty ? key : "\(path).\(key)")
    }

    func item(_ index: Int, at position: SourcePosition? = nil) -> Place {
        Place(file: file, position: position, path: "\(path)[\(index)]")
    }

    /// Whether a user may have written a secret here by mistake, because a neighbouring key holds one.
    var isNearSecrets: Bool {
        path.hasPrefix("credentials.") || path.hasPrefix("VCAP_") || path.hasSuffix("Proxy.username")
            || path.hasSuffix("Proxy.password")
            || OptionName.nearSecrets.contains { path.hasPrefix($0.flag) || path.hasPrefix($0.variable) }
    }

    /// The place as it begins a problem's text: `attache.yaml:2:14: listeners[0].address`.
    var text: String { problem("").description }

    func problem(_ message: String, code: FindingCode? = nil) -> Problem {
        Problem(
            file: file, line: position?.line, column: position?.column, path: path.isEmpty ? nil : path,
            message: message, code: code)
    }
}
