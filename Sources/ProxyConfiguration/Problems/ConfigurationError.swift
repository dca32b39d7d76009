/// All problems of a configuration, in the order of the file; never empty.
package struct ConfigurationError: Error, Equatable, Sendable, CustomStringConvertible {
    package let problems: [Problem]

    /// The problems, one on each line.
    package var description: String { problems.map(\.description).joined(separator: "\n") }
}
