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

    package init(file: String? = nil, line: Int? = nil, column: Int? = nil, path: String? = nil, message: String) {
        self.file = file
        self.line = line
        self.column = column
        self.path = path
        self.message = message
    }

    package var description: String {
        var place: [String] = []
        if let file { place.append(file) }
        if let line { place.append(String(line)) }
        if let column { place.append(String(column)) }
        let parts = [place.joined(separator: ":"), path ?? "", message]
        return parts.filter { !$0.isEmpty }.joined(separator: ": ")
    }
}
