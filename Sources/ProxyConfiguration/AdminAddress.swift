private import FoundationEssentials

extension Configuration {
    /// Where the admin listener of a running proxy is, for whoever only wants to ask it something.
    ///
    /// Where the command line or the environment says it, nothing else is read: a health check must not depend on what
    /// the proxy was told beside.
    ///
    /// - Parameters:
    ///   - flags: What the command line says; goes before all else.
    ///   - environment: Goes before the file; by default this process's own.
    ///   - files: The way to the file system.
    /// - Returns: The address, or nil where there is no admin listener.
    /// - Throws: All problems at once.
    package static func adminAddress(
        flags: Flags = Flags(), environment: [String: String]? = nil, files: any FileReader = SystemFileReader()
    ) throws(ConfigurationError) -> ListenerConfiguration? {
        let environment = environment ?? ProcessInfo.processInfo.environment
        let context = LoadContext(files: files, environment: environment)
        guard let setting = StartOptions(flags: flags, environment: environment).first(.admin) else {
            guard StartOptions(flags: flags, environment: environment).first(.config) != nil else { return nil }
            return try load(flags: flags, environment: environment, files: files).admin
        }
        let address = ListenerSection.address(setting, allowsNonLoopback: true, context.problems)
        guard context.problems.isEmpty else { throw ConfigurationError(problems: context.problems.sorted) }
        return address
    }
}
