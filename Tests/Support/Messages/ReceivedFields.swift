/// The field lines of a head as they were received, in order.
package struct ReceivedFields: Sendable, CustomStringConvertible {
    package let lines: [(name: String, value: String)]

    package init(lines: [String]) {
        self.lines = lines.map { line in
            guard let colon = line.firstIndex(of: ":") else { return (line, "") }
            let value = line[line.index(after: colon)...]
            return (String(line[..<colon]), String(value.drop { $0 == " " || $0 == "\t" }))
        }
    }

    /// The values of every line of this name, compared without case.
    package func all(_ name: String) -> [String] {
        lines.filter { $0.name.lowercased() == name.lowercased() }.map(\.value)
    }

    /// The first value of this name.
    package subscript(name: String) -> String? { all(name).first }

    /// All names, in lower case.
    package var names: [String] { lines.map { $0.name.lowercased() } }

    package var description: String { lines.map { "\($0.name): \($0.value)" }.joined(separator: "\n") }
}
