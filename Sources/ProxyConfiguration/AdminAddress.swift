private import FoundationEssentials

extension Configuration {
    /// The address of a running proxy's admin listener, for the health check.
    ///
    /// The file is read only if neither the command line nor the environment has the address. Only its `admin` is read, so
    /// that no other setting can make the health check fail.
    ///
    /// - Parameters:
    ///   - flags: The command line, which overrides everything else.
    ///   - environment: The environment, which overrides the file; by default that of this process.
    ///   - files: The file system.
    /// - Returns: The address, or nil without an admin listener.
    /// - Throws: All problems.
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
