import HTTPWire
import ProxyCore
import TokenManager

/// Applies command line and environment to a draft; both override the file.
enum StartSection {
    static func apply(
        _ options: StartOptions, to draft: inout Draft, for purpose: Configuration.Purpose, _ context: LoadContext
    ) {
        let problems = context.problems
        listeners(options, &draft, problems)
        backends(options, &draft, for: purpose, context)
        if let log = options.first(.accessLog).flatMap({ AccessLogSection.destination($0, context) }) {
            draft.accessLog = log
        }
        if let level = options.first(.logLevel)?.word(LogLevel.self, problems) { draft.logLevel = level }
        if let format = options.first(.logFormat)?.word(LogFormat.self, problems) { draft.logFormat = format }
        if let workers = options.first(.workers).flatMap({ WorkersSetting.read($0, problems) }) {
            draft.workers = workers
        }
        if let delay = options.first(.drainDelay)?.duration(ShutdownSection.drainDelays, problems) {
            draft.shutdown.drainDelay = delay
        }
        if let time = options.first(.waitForIdle) { ShutdownSection.waitForIdle(time, into: &draft, problems) }
        if let period = options.first(.gracePeriod)?.duration(ShutdownSection.gracePeriods, problems) {
            draft.shutdown.gracePeriod = period
        }
    }

    /// Refuses an option that has no effect together with a file, because the user expects it to have one.
    private static func refuse(
        _ name: OptionName, _ scope: String, insteadOf key: String, _ options: StartOptions, _ problems: ProblemList
    ) {
        guard options.first(.config) != nil, let option = options.first(name) else { return }
        problems.add(option.place, "\(scope), and none is given; write \(key) in the file instead")
    }

    private static func listeners(_ options: StartOptions, _ draft: inout Draft, _ problems: ProblemList) {
        let allows = options.isOn(.allowNonLoopback, problems)
        let advice = OptionName.allowNonLoopback.advice
        let listen = options.all(.listen)
        if allows, listen.isEmpty, options.first(.admin) == nil, options.all(.gateway).isEmpty {
            refuse(
                .allowNonLoopback, "applies to --listen, --gateway and --admin",
                insteadOf: "allowNonLoopback: true of the listener", options, problems)
        }
        if !listen.isEmpty {
            draft.listeners = listen.compactMap { setting in
                ListenerSection.address(setting, allowsNonLoopback: allows, advice: advice, problems)
                    .map { ListenerDraft(listener: $0, place: setting.place) }
            }
        }
        if let admin = options.first(.admin) {
            draft.admin =
                ListenerSection.address(
                    admin, allowsNonLoopback: allows, advice: advice, consequence: AdminSection.consequence, problems
                ).map { ($0, admin.place) }
        }
    }

    private static func backends(
        _ options: StartOptions, _ draft: inout Draft, for purpose: Configuration.Purpose, _ context: LoadContext
    ) {
        let allowsPlaintext = options.isOn(.allowPlaintext, context.problems)
        let outcome = StartCredential.make(options, allowsPlaintext: allowsPlaintext, context)
        if case .made(let credential) = outcome { draft.add(credential) }
        let backends = options.all(.backend)
        let gateways = options.all(.gateway)
        let named = backends + gateways
        let wantsBound = draft.routes.contains { $0.route.credential == BoundCredential.name }
        // Without a backend and a credential, the bound service is the only source of a token.
        let isAllThereIs =
            purpose == .fetching && named.isEmpty && outcome == .absent && draft.credentialNames.isEmpty
        if allowsPlaintext, named.isEmpty, options.first(.tokenURL) == nil, !wantsBound, !isAllThereIs {
            refuse(
                .allowPlaintext, "applies to --backend, --gateway, --token-url and a bound service",
                insteadOf: "allowPlaintext: true of the route or credential", options, context.problems)
        }
        if wantsBound || isAllThereIs, !draft.credentialNames.contains(BoundCredential.name) {
            addBound(allowsPlaintext: allowsPlaintext, &draft, context)
        }
        guard let first = named.first else { return }
        let credential = credential(outcome, first.place, allowsPlaintext: allowsPlaintext, &draft, context)
        let routes = backends.compactMap {
            BackendRoute.read(
                $0, credential: credential, allowsPlaintext: allowsPlaintext, defaults: draft.defaults, context.problems
            )
        }
        if routes.count < backends.count { draft.isRoutingFaulty = true }
        draft.routes.insert(contentsOf: routes, at: 0)
        self.gateways(gateways, credential, allowsPlaintext: allowsPlaintext, options, &draft, context.problems)
    }

    /// Adds a gateway listener and its route for each `--gateway`.
    ///
    /// Without any other setting for a forward proxy, no forward listener is opened.
    private static func gateways(
        _ settings: [Setting], _ credential: String?, allowsPlaintext: Bool, _ options: StartOptions,
        _ draft: inout Draft, _ problems: ProblemList
    ) {
        guard !settings.isEmpty else { return }
        let hasForwardRoute = draft.routes.contains { $0.route.match.host != .nothing }
        let isForward = hasForwardRoute || draft.unmatched == .forward || draft.isRoutingFaulty
        var listeners = draft.listeners ?? (isForward ? draft.listenersOrDefault : [])
        let allows = options.isOn(.allowNonLoopback, ProblemList())
        for setting in settings {
            guard let option = GatewayOption.read(setting, allowsNonLoopback: allows, problems) else {
                draft.isRoutingFaulty = true
                continue
            }
            listeners.append(
                ListenerDraft(listener: option.listener, place: option.place, ownRoute: option.place))
            draft.routes.append(
                BackendRoute.gateway(
                    option.url, option.place, credential: credential, allowsPlaintext: allowsPlaintext,
                    defaults: draft.defaults))
        }
        draft.listeners = listeners
    }

    /// The name of the credential for the backends; nil after a problem.
    private static func credential(
        _ outcome: StartCredential.Outcome, _ place: Place, allowsPlaintext: Bool, _ draft: inout Draft,
        _ context: LoadContext
    ) -> String? {
        switch outcome {
        case .made(let credential): return credential.name
        case .unusable: return nil
        case .absent: break
        }
        if draft.credentialNames.contains(BoundCredential.name) { return BoundCredential.name }
        let before = context.problems.count
        addBound(allowsPlaintext: allowsPlaintext, &draft, context)
        if draft.credentialNames.contains(BoundCredential.name) { return BoundCredential.name }
        guard context.problems.count == before else { return nil }
        if draft.credentialNames.count == 1 { return draft.credentialNames[0] }
        let names = draft.credentialNames
        context.problems.add(
            place,
            names.isEmpty
                ? "has no credential; give \(StartAdvice.credentials)"
                : "could get any of the file's \(names.count) credentials (\(names.joined(separator: ", "))); write a route in "
                    + "the file instead, with match, upstream and credential")
        return nil
    }

    private static func addBound(allowsPlaintext: Bool, _ draft: inout Draft, _ context: LoadContext) {
        if let bound = BoundCredential.make(allowsPlaintext: allowsPlaintext, context) {
            draft.add(bound)
        } else if context.boundService != nil {
            // Its problems are reported, so routes that name it cause no further ones.
            draft.credentialNames.append(BoundCredential.name)
        }
    }
}

/// Makes a route from `--backend URL`, or from the URL of `--gateway ADDRESS=URL`.
enum BackendRoute {
    static func read(
        _ setting: Setting, credential: String?, allowsPlaintext: Bool, defaults: RouteDefaults, _ problems: ProblemList
    ) -> RouteDraft? {
        guard let url = setting.parsed(problems, what: "a URL", URLText.backend) else { return nil }
        let match = RouteMatch(
            host: .exact(url.host), port: url.port.map { .exactly($0) } ?? .schemeDefault)
        return route(
            url, match, setting.place, credential: credential, allowsPlaintext: allowsPlaintext, defaults: defaults)
    }

    /// The route of a gateway listener, which takes no other request.
    static func gateway(
        _ url: URLText, _ place: Place, credential: String?, allowsPlaintext: Bool, defaults: RouteDefaults
    ) -> RouteDraft {
        route(
            url, RouteMatch(host: .nothing, port: .any), place, credential: credential,
            allowsPlaintext: allowsPlaintext, defaults: defaults)
    }

    private static func route(
        _ url: URLText, _ match: RouteMatch, _ place: Place, credential: String?, allowsPlaintext: Bool,
        defaults: RouteDefaults
    ) -> RouteDraft {
        let host = Host.inURI(url.host)
        let route = Route(
            name: url.port.map { "\(host):\($0)" } ?? host,
            match: match, upstream: .origin(url.origin), upstreamPath: url.path, credential: credential,
            allowPlaintext: allowsPlaintext, tls: url.scheme == .https ? defaults.tls : UpstreamTLS(),
            upstreamProxy: defaults.upstreamProxy)
        return RouteDraft(
            route: route, place: place, namePlace: nil, credentialPlace: place, upstreamPlace: place,
            plaintextAdvice: OptionName.allowPlaintext.advice)
    }
}
