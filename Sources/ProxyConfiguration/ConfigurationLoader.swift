private import FoundationEssentials
import ProxyCore

extension Configuration {
    /// Reads the configuration from file, environment and command line.
    ///
    /// - Parameters:
    ///   - flags: The command line, which overrides everything else.
    ///   - environment: The environment, which overrides the file; by default that of this process.
    ///   - files: The file system.
    ///   - unixTime: The time in seconds since 1970; by default that of the system's clock.
    ///   - purpose: The purpose, which decides what the configuration must hold.
    /// - Returns: A configuration that is checked and complete for its purpose.
    /// - Throws: All problems.
    package static func load(
        flags: Flags = Flags(), environment: [String: String]? = nil, files: any FileReader = SystemFileReader(),
        unixTime: Int64? = nil, for purpose: Purpose = .serving
    ) throws(ConfigurationError) -> Configuration {
        let context = LoadContext(
            files: files, environment: environment ?? ProcessInfo.processInfo.environment,
            unixTime: unixTime)
        let options = StartOptions(flags: flags, environment: context.environment)
        UnknownVariables.check(context)
        var draft = Draft()
        let file = options.first(.config)
        let namesBackend = !options.all(.backend).isEmpty || !options.all(.gateway).isEmpty
        guard purpose == .fetching || file != nil || namesBackend else {
            let problem = Problem(message: StartAdvice.nothingToDo(flags.command))
            throw ConfigurationError(problems: context.problems.sorted + [problem])
        }
        if let path = file?.text(context.problems),
            !FileSection.read(path: path, into: &draft, context)
        {
            // All other problems would follow from the unreadable file.
            throw ConfigurationError(problems: context.problems.sorted)
        }
        StartSection.apply(options, to: &draft, for: purpose, context)
        RouteName.makeUnique(&draft.routes, context.problems)
        draft.nameOwnRoutes()
        if purpose == .serving {
            UnusedSettings.look(draft, context.warnings)
            NetworkSettings.look(draft, context.warnings)
            CrossChecks.lookAtWaitForIdle(draft, context.warnings)
            ListenerChecks.lookAtFolders(draft, context)
        }
        CrossChecks.check(draft, context)
        ListenerChecks.check(draft, context)
        if purpose == .serving, draft.routes.isEmpty, !draft.isRoutingFaulty, draft.unmatched == .deny,
            draft.connect.allow.isEmpty
        {
            if draft.isFileEmpty {
                let start = SourcePosition(line: 1, column: 1)
                context.problems.add(
                    Place(file: file?.text(ProblemList()).map(KeyText.printable), position: start, path: ""),
                    "the file is empty; write routes and credentials, as in config/attache.yaml, or unmatched: forward")
            } else {
                context.problems.add(
                    draft.routesPlace,
                    "there is none and unmatched is deny, so every request would be refused; "
                        + "add a route or --backend, or set unmatched: forward")
            }
        }
        if purpose == .fetching, draft.credentialNames.isEmpty, context.problems.isEmpty {
            context.problems.add(
                Place(file: file?.text(context.problems).map(KeyText.printable), path: "credentials"),
                "there is none to fetch a token for; give \(StartAdvice.credentials)")
        }
        guard context.problems.isEmpty else { throw ConfigurationError(problems: context.problems.sorted) }
        return Configuration(
            listeners: draft.listenersOrDefault.map(\.listener),
            credentials: draft.credentials, routes: draft.routes.map(\.route), unmatched: draft.unmatched,
            connect: draft.connect, upstreamProxy: draft.defaults.upstreamProxy,
            tokenServerProxy: draft.tokenServerProxy, allowAddresses: draft.allowAddresses, resolve: draft.resolve,
            cacheSize: draft.cacheSize, limits: draft.limits, admin: draft.admin?.listener,
            accessLog: draft.accessLog, accessLogFields: draft.accessLogFields,
            logLevel: draft.logLevel, logFormat: draft.logFormat, tracing: draft.tracing,
            workers: draft.workers, shutdown: draft.shutdown,
            file: file?.text(ProblemList()), reloadsOnChange: draft.reloadsOnChange,
            warnings: context.warnings.sorted, fileChecks: context.fileChecks)
    }
}
