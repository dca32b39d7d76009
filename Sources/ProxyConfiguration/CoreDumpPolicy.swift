private import FoundationEssentials

extension Configuration {
    /// Whether the process may leave core dumps, which hold its secrets; told before anything else is read.
    ///
    /// - Parameters:
    ///   - flags: What the command line says; goes before the environment.
    ///   - environment: By default this process's own.
    /// - Returns: True only where the command line or the environment says so.
    /// - Throws: A value that is no boolean.
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
