/// Everything that is wrong with a configuration, in the order of the file; never empty.
package struct ConfigurationError: Error, Equatable, Sendable, CustomStringConvertible {
    package let problems: [Problem]

    /// One line a problem.
    package var description: String { problems.map(\.description).joined(separator: "\n") }
}
