/// One problem of the configuration, with its place.
///
/// Its text quotes the wrong value, unless the setting holds a secret.
package struct Problem: Error, Equatable, Sendable, CustomStringConvertible {
    package let file: String?
    /// From 1; nil for what does not come from a file.
    package let line: Int?
    /// From 1, in characters.
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
