private import FoundationEssentials

extension Configuration {
    /// Whether the process may leave core dumps, which hold its secrets; decided before any secret is read.
    ///
    /// - Parameters:
    ///   - flags: The command line, which overrides the environment.
    ///   - environment: The environment; by default that of this process.
    /// - Returns: True only if the command line or the environment says so.
    /// - Throws: The error for a value that is not a boolean.
    package static func allowsCoreDumps(
        flags: Flags, environment: [String: String]? = nil
    ) throws(ConfigurationError) -> Bool {
        let problems = ProblemList()
        let options = StartOptions(
            flags: flags, environment: environment ?? ProcessInfo.processInfo.environment)
        let isAllowed = options.isOn(.allowCoreDumps, problems)
        guard problems.isEmpty else { throw ConfigurationError(problems: problems.sorted) }
        return isAllowed
    }
}
