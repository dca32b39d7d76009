import EventTransport
import Logging
import ProxyConfiguration
import ProxyCore

/// How a worker takes over another configuration: it prepares everything that may fail, and swaps later.
extension Worker {
    /// What serves requests by one configuration; a reload replaces it as a whole.
    struct InForce {
        let served: ServedConfiguration
        let rules: ServingRules
        let endpoints: UpstreamEndpoints
        let endpointSettings: EndpointSettings
        /// The users of the listeners, by the paths of their files.
        let passwordFiles: [String: PasswordFile]
    }

    /// What stands ready to take the place of what is in force.
    struct Prepared {
        let next: InForce
        /// The sockets of the listeners to be opened.
        let sockets: [ListenerNumber: BoundSocket]
    }

    /// Prepares another configuration; nothing changes before `usePrepared`.
    ///
    /// - Parameters:
    ///   - served: The configuration.
    ///   - files: What its files hold.
    ///   - sockets: The sockets of the listeners to be opened.
    /// - Throws: If a file or an address is unusable.
    func prepare(
        _ served: ServedConfiguration, _ files: ServedFiles, opening sockets: [ListenerNumber: BoundSocket]
    ) throws(TransportError) {
        let (old, settings) = (inForce, EndpointSettings(served.configuration))
        // Those in use stay, with their connections, unless a setting of all of them differs.
        let endpoints =
            settings == old.endpointSettings
            ? old.endpoints : settings.endpoints(on: loop, idle: idleUpstreams, own, names, logger)
        let rules = try ServingRules(served, files, endpoints: endpoints, via: old.rules.router.via)
        let passwordFiles = try PasswordFile.files(
            of: served.configuration.listeners, keeping: old.passwordFiles, files)
        prepared = Prepared(
            next: InForce(
                served: served, rules: rules, endpoints: endpoints, endpointSettings: settings,
                passwordFiles: passwordFiles),
            sockets: sockets)
    }

    /// Drops what was prepared, and closes the sockets.
    func discardPrepared() {
        for socket in prepared?.sockets.values ?? [:].values { socket.close() }
        prepared = nil
        rules.router.dropUnused()
    }

    /// Puts what was prepared in force for all requests from now on, and closes the listeners that are not in `listeners`.
    ///
    /// Exchanges in progress keep their rules. Requests that have arrived at a listener that closes are still served.
    func usePrepared(_ listeners: [ListenerNumber: ListenerConfiguration]) {
        guard let prepared else { preconditionFailure("a worker shall use rules that it has not prepared") }
        self.prepared = nil
        // A drain would have been asked for on the first worker's loop, which would have dropped the prepared rules.
        precondition(!isDraining, "a worker that drains shall use other rules")
        for (number, open) in self.listeners where listeners[number] == nil { close(open, number) }
        let old = inForce
        putInForce(prepared.next)
        for (number, configuration) in listeners {
            if let open = self.listeners[number] {
                open.served.serve(
                    configuration, at: open.listener.address, by: rules.router, passwords: passwords(of: configuration))
            } else if let socket = prepared.sockets[number] {
                listen(on: socket, as: configuration, number)
            }
        }
        if old.endpoints !== endpoints {
            leaving.append(old.endpoints)
            old.endpoints.drain()
        }
        rules.router.dropUnused()
    }

    /// A password file has another content.
    func replaceUsers(of path: String, by users: PasswordDigests) { inForce.passwordFiles[path]?.replace(by: users) }

    private func putInForce(_ next: InForce) {
        let (old, new, numbers) = (rules, next.rules, next.served.numbers)
        credentials.add(next.served.configuration.credentials, numbers: numbers.credentials)
        accessLog?.learn(routes: numbers.routeNames, credentials: numbers.credentialNames)
        tracer?.learn(routes: numbers.routeNames, credentials: numbers.credentialNames)
        tracer?.use(next.served.configuration.resolve)
        counted.extend(routeCount: numbers.routeNames.count, credentialCount: numbers.credentialNames.count)
        credentialsInUse[new.serial] = Set(numbers.credentials)
        old.released = { [weak self, serial = old.serial] in
            // Not at once: an exchange may release the rules in the middle of a change.
            self?.loop.nextTurn { self?.forgetCredentials(ofRules: serial) }
        }
        renewExchanges()
        state.value.inForce = next
        state.value.headLimits = new.headLimits
        guard old.limits != new.limits else { return }
        for connection in connections.all { connection.state.value.deadline.timeouts = new.timeouts }
    }

    /// Makes new exchanges for further requests; those in progress keep what held when they began.
    func renewExchanges() {
        let spare = state.value.exchanges.renew()
        _ = consume spare
    }

    /// No exchange with these rules is left, so nobody needs the tokens of credentials that only they had.
    private func forgetCredentials(ofRules serial: Int) {
        credentialsInUse[serial] = nil
        forgetUnusedTokens()
        leaving.removeAll { !$0.isInUse }
        for endpoints in leaving + [endpoints] { endpoints.dropUnused() }
    }

    /// Forgets tokens that came for credentials of rules that no exchange has.
    func forgetUnusedTokens() {
        credentials.forgetTokens(except: credentialsInUse.values.reduce(into: []) { $0.formUnion($1) })
    }

    /// Closes a listener; its connections close as soon as what they have sent is served.
    private func close(_ open: OpenListener, _ number: ListenerNumber) {
        open.listener.acceptWaiting()
        open.listener.close()
        listeners[number] = nil
        for connection in connections.all where connection.listener === open.served {
            connection.stream.readNow()
            connection.drain()
        }
    }
}

/// The settings that all endpoints of a worker share.
struct EndpointSettings: Equatable {
    let resolve: [NameOverride]
    let allowAddresses: [Network]
    let connectTimeout: Duration

    init(_ configuration: Configuration) {
        resolve = configuration.resolve
        allowAddresses = configuration.allowAddresses
        connectTimeout = configuration.limits.connectTimeout
    }

    func endpoints(
        on loop: EventLoop, idle: IdleConnections, _ own: OwnIdentity, _ names: NameCounts, _ logger: Logger
    ) -> UpstreamEndpoints {
        UpstreamEndpoints(
            loop: loop,
            connector: Connector(loop: loop, overrides: AddressOverrides(resolve), avoiding: own, counting: names),
            connectTimeout: connectTimeout, idle: idle,
            allowing: allowAddresses.map { AddressRange($0) }, logger: logger)
    }
}
