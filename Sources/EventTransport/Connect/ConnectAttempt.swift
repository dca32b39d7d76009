/// One attempt to connect, from the name to the finished TLS handshake, perhaps through a parent proxy.
///
/// Confined to the loop's thread. Keeps itself alive until it is over.
package final class ConnectAttempt {
    /// What the attempt waits for.
    private enum Stage {
        /// Addresses that it may use; before it begins and after its end, nothing.
        case resolving
        case connecting(AddressRace)
        case openingTunnel(TunnelOpening)
        case shakingHands(TLSHandshake)
        /// A later callback, which reports the error and ends the attempt.
        case failed(TransportError)
    }

    private let target: Connector.Target
    private let own: OwnIdentity?
    private let failed: FailedAddresses
    private let timeout: Duration
    private let loop: EventLoop
    private var done: ((Result<StreamConnection, TransportError>) -> Void)?
    private var stage = Stage.resolving
    /// The address that has won the race.
    private var peer: SocketAddress?
    /// The look-up of the name, which may find further addresses while others are being tried.
    private var names: Resolver.Wait?
    private var limit: Timer?

    init(
        _ target: Connector.Target, avoiding own: OwnIdentity?, failed: FailedAddresses, timeout: Duration,
        loop: EventLoop, _ done: @escaping (Result<StreamConnection, TransportError>) -> Void
    ) {
        self.target = target
        self.own = own
        self.failed = failed
        self.timeout = timeout
        self.loop = loop
        self.done = done
    }

    /// Ends the attempt; its closure is no longer called.
    package func cancel() {
        done = nil
        leave(for: .resolving)
        names?.cancel()
        names = nil
        // The timer's closure holds the attempt.
        limit = nil
    }

    private func leave(for next: Stage) {
        let stage = stage
        self.stage = next
        switch stage {
        case .resolving, .failed: break
        case .connecting(let race): race.cancel()
        case .openingTunnel(let opening): opening.cancel()
        case .shakingHands(let handshake): handshake.cancel()
        }
    }

    func begin(_ resolver: Resolver, _ overrides: AddressOverrides) {
        let limit = Timer(loop: loop) { self.ranOutOfTime() }
        limit.schedule(after: timeout)
        self.limit = limit
        let parent = target.parent
        let host = parent?.host ?? target.host
        if parent != nil, let address = IPAddress(literal: target.host), !target.addresses.permits(address) {
            fail(TransportError(forbidding: [address], of: target))
        } else if let address = IPAddress(literal: host) {
            connect([address], isWhole: true)
        } else if let given = overrides.addresses(of: host, port: target.peerPort) {
            // The operator has chosen the addresses, so none of them is refused.
            race(given, isWhole: true)
        } else {
            names = resolver.resolve(host, isChosenByApp: parent == nil && target.isChosenByApp) {
                [unowned self] in resolved($0)
            }
        }
    }

    /// Called again if further addresses are found.
    private func resolved(_ answer: Resolver.Answer) {
        if case .failed = stage { return }
        switch answer {
        case .success(let found): connect(found.addresses, isWhole: found.isWhole)
        case .failure(let error): fail(target.parent.map { TransportError(error, resolving: $0) } ?? error)
        }
    }

    private func connect(_ found: [IPAddress], isWhole: Bool) {
        // The configuration has named the parent, so none of its addresses is refused.
        let allowed = target.parent == nil ? found.filter(target.addresses.permits) : found
        if !allowed.isEmpty { return race(allowed, isWhole: isWhole) }
        if case .connecting(let race) = stage { return race.add([], isLast: isWhole) }
        if isWhole { fail(leadingBack(found) ?? TransportError(forbidding: found, of: target)) }
    }

    /// The error for addresses of which one is a listener of this process.
    private func leadingBack(_ found: [IPAddress]) -> TransportError? {
        guard let own else { return nil }
        for address in found.map({ SocketAddress($0, port: target.peerPort) }) where own.contains(address) {
            return TransportError(leadingBackTo: address, from: target)
        }
        return nil
    }

    /// Begins the race for the addresses, or adds them to it.
    private func race(_ found: [IPAddress], isWhole: Bool) {
        if let error = leadingBack(found) { return fail(error) }
        let addresses = found.map { SocketAddress($0, port: target.peerPort) }
        switch stage {
        case .connecting(let race): race.add(addresses, isLast: isWhole)
        case .resolving:
            let race = AddressRace(
                loop: loop, failed: failed,
                won: { [unowned self] in connected($0) },
                lost: { [unowned self] in fail(connectError($0)) })
            stage = .connecting(race)
            race.add(addresses, isLast: isWhole)
        case .openingTunnel, .shakingHands, .failed: preconditionFailure("a look-up went on after the race")
        }
    }

    private func connected(_ socket: consuming Socket) {
        names?.cancel()
        names = nil
        peer = socket.peer
        guard let parent = target.parent, parent.opensTunnel else { return secure(socket) }
        let opening = TunnelOpening(
            to: target.authority, through: parent, via: own?.via ?? [], on: socket, loop: loop,
            opened: { [unowned self] in secure($0) },
            failed: { [unowned self] error, isBroken in
                if isBroken { avoidPeer() }
                var error = error
                error.concernsParent = true
                finish(.failure(error))
            })
        stage = .openingTunnel(opening)
        opening.begin()
    }

    private func secure(_ socket: consuming Socket) {
        guard let tls = target.tls else {
            return finish(.success(StreamConnection(socket, tls: nil, loop: loop)))
        }
        let session: TLSSession
        do {
            session = try tls.session(
                descriptor: socket.descriptor, authority: target.authority,
                serverName: Self.withoutRoot(target.serverName ?? target.host))
        } catch {
            return finish(.failure(error))
        }
        let handshake = TLSHandshake(session, on: socket, loop: loop) { [unowned self] result in
            if case .failure = result, target.parent == nil { avoidPeer() }
            finish(result)
        }
        stage = .shakingHands(handshake)
        handshake.begin()
    }

    /// Removes the final dot: `example.test.` is the same name as `example.test`, but certificates and SNI lack the
    /// dot.
    private static func withoutRoot(_ name: String) -> String {
        name.hasSuffix(".") ? String(name.dropLast()) : name
    }

    /// Fails in a later callback: the caller of `connect(to:timeout:_:)` may still be on the stack.
    private func fail(_ error: TransportError) {
        leave(for: .failed(error))
        loop.later { self.finish(.failure(error)) }
    }

    private func finish(_ result: Result<StreamConnection, TransportError>) {
        let done = done
        cancel()
        done?(result)
    }

    private func ranOutOfTime() {
        switch stage {
        case .resolving, .failed: break
        case .connecting(let race): race.timeRanOut()
        case .openingTunnel: avoidPeer()
        // Behind a parent, it is the target that says nothing.
        case .shakingHands: if target.parent == nil { avoidPeer() }
        }
        finish(.failure(timeoutError))
    }

    /// Lets the next connections try other addresses first.
    private func avoidPeer() {
        if let peer { failed.insert(peer, loop.now) }
    }

    private var timeoutError: TransportError {
        let isOnTheWay: Bool
        let what: String
        switch stage {
        case .failed(let error): return error
        case .resolving:
            (isOnTheWay, what) = (
                true, "no name server gave an address of \(target.parent?.description ?? target.host)"
            )
        case .connecting(let race):
            let tried = race.failures.map { TransportError(system: $0.errno, "\($0.address)").message }
            let waiting = race.unanswered.map { tried.isEmpty ? "\($0)" : "\($0): no answer" }
            let list = tried + waiting
            // An address that the configuration or the app has written stands in the name already.
            let details = list == [target.peerAuthority] ? "" : " (\(list.joined(separator: ", ")))"
            (isOnTheWay, what) = (true, "\(peerName) did not accept a connection\(details)")
        case .openingTunnel: (isOnTheWay, what) = (true, "\(peerName) did not answer CONNECT \(target.authority)")
        case .shakingHands:
            (isOnTheWay, what) = (false, "\(target.authority) did not finish the TLS handshake")
        }
        var error = TransportError(.timedOut, "\(what) within \(timeout)")
        error.concernsParent = isOnTheWay && target.parent != nil
        return error
    }

    /// The server that the socket connects to.
    private var peerName: String { target.parent?.description ?? target.authority }

    private func connectError(_ failures: [(address: SocketAddress, errno: Int32)]) -> TransportError {
        var error = reason(failures)
        error.concernsParent = target.parent != nil
        return error
    }

    private func reason(_ failures: [(address: SocketAddress, errno: Int32)]) -> TransportError {
        if let only = failures.first, failures.count == 1, "\(only.address)" == target.peerAuthority {
            return TransportError(system: only.errno, "cannot connect to \(peerName)")
        }
        let errors = failures.map { TransportError(system: $0.errno, "\($0.address)") }
        // A refused connection says more than an address family that this host lacks.
        guard let telling = errors.last(where: { $0.kind != .unreachable }) ?? errors.last else {
            return TransportError(.resolution, "\(peerName) has no address; check the name")
        }
        let reasons = errors.map(\.message).joined(separator: ", ")
        return TransportError(
            telling.kind, "cannot connect to \(peerName): \(reasons)", errno: telling.errno)
    }
}
