import HTTPWire
import ProxyConfiguration

/// The page `/log-level`: the level of the log, and what a request changes it to.
struct LogLevelPage {
    let current: LogLevel
    /// The most characters of an unknown word that the answer repeats.
    private static let shownLength = 40

    var response: EmbeddedServer.Response { .init(200, "\(current.rawValue)\n") }

    /// The answer to a request for another level, which its body or `level` in its query names.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - change: Called with the new level.
    /// - Returns: The answer: the old and the new level, or what is wrong.
    func change(_ request: EmbeddedServer.Request, _ change: (LogLevel) -> Void) -> EmbeddedServer.Response {
        let words = LogLevel.allCases.map(\.rawValue)
        let inQuery = request.query.split(separator: "&").first { $0.hasPrefix("level=") }?.dropFirst(6)
        let inBody = String(decoding: request.body, as: UTF8.self).split(whereSeparator: \.isWhitespace)
            .joined(separator: " ")
        if let inQuery, !inBody.isEmpty, inBody != inQuery {
            return .init(400, "the body and ?level= name different levels; leave one of them out\n")
        }
        let word = inQuery.map(String.init) ?? inBody
        guard let level = LogLevel(rawValue: word) else {
            let meant = WordSuggestion.nearest(to: word, among: words).map { "; did you mean \($0)?" } ?? ""
            let shown = JSONText.quoted(String(word.prefix(Self.shownLength)))
            let problem = word.isEmpty ? "" : "\(shown) is not a level; "
            return .init(
                400, "\(problem)write one of \(words.joined(separator: ", ")) as the body or in ?level=\(meant)\n")
        }
        change(level)
        return .init(
            200, "level \(level.rawValue), was \(current.rawValue); a reload or restart sets the configured one again\n"
        )
    }
}
