private import FoundationEssentials

extension Configuration {
    /// Where the admin listener of a running proxy is, for whoever only wants to ask it something.
    ///
    /// A health check must not depend on anything else that the proxy was told: the file is read only where neither the
    /// command line nor the environment has the address, and of the file only `admin`.
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
        let options = StartOptions(flags: flags, environment: environment)
        let address =
            if let setting = options.first(.admin) {
                ListenerSection.address(setting, allowsNonLoopback: true, context.problems)
            } else {
                options.first(.config)?.text(context.problems).flatMap { FileSection.admin(path: $0, context) }
            }
        guard context.problems.isEmpty else { throw ConfigurationError(problems: context.problems.sorted) }
        return address
    }
}
