/// One attempt to connect, from the name to the finished TLS handshake, perhaps through a parent proxy.
///
/// Confined to the loop's thread. Keeps itself alive until it is over.
package final class ConnectAttempt {
    /// What the attempt waits for.
    private enum Stage {
        /// Nothing: it has not begun, or is over.
        case none
        case resolving(Resolver.Wait)
        case connecting(AddressRace)
        case openingTunnel(TunnelOpening)
        case shakingHands(TLSHandshake)
    }

    private let target: Connector.Target
    private let own: OwnListeners?
    private let timeout: Duration
    private let loop: EventLoop
    private var done: ((Result<StreamConnection, TransportError>) -> Void)?
    private var stage = Stage.none
    private var addresses: [SocketAddress] = []
    private var limit: Timer?

    init(
        _ target: Connector.Target, avoiding own: OwnListeners? = nil, timeout: Duration, loop: EventLoop,
        _ done: @escaping (Result<StreamConnection, TransportError>) -> Void
    ) {
        self.target = target
        self.own = own
        self.timeout = timeout
        self.loop = loop
        self.done = done
    }

    /// Ends the attempt; its closure is no longer called.
    package func cancel() {
        done = nil
        let stage = stage
        self.stage = .none
        switch stage {
        case .none: break
        case .resolving(let wait): wait.cancel()
        case .connecting(let race): race.cancel()
        case .openingTunnel(let opening): opening.cancel()
        case .shakingHands(let handshake): handshake.cancel()
        }
        // The timer's closure holds the attempt.
        limit = nil
    }

    func begin(_ resolver: Resolver, _ overrides: AddressOverrides) {
        let limit = Timer(loop: loop) { self.finish(.failure(self.timeoutError)) }
        limit.schedule(after: timeout)
        self.limit = limit
        if let parent = target.parent {
            begin(resolver, overrides, through: parent)
        } else if let address = IPAddress(literal: target.host) {
            connect([address])
        } else if let given = overrides.addresses(of: target.host, port: target.port) {
            // The operator has chosen the addresses, so none of them is refused.
            race(given)
        } else {
            let wait = resolver.resolve(target.host, isChosenByApp: target.isChosenByApp) { self.resolved($0) }
            if let wait { stage = .resolving(wait) }
        }
    }

    /// The configuration has named the parent, so none of its addresses is refused.
    private func begin(_ resolver: Resolver, _ overrides: AddressOverrides, through parent: Connector.Parent) {
        if let address = IPAddress(literal: target.host), !target.addresses.permits(address) {
            fail(TransportError(forbidding: [address], of: target))
        } else if let address = IPAddress(literal: parent.host) {
            race([address])
        } else if let given = overrides.addresses(of: parent.host, port: parent.port) {
            race(given)
        } else {
            let wait = resolver.resolve(parent.host) { [unowned self] answer in
                switch answer {
                case .success(let found): race(found)
                case .failure(let error): fail(TransportError(error, resolving: parent))
                }
            }
            if let wait { stage = .resolving(wait) }
        }
    }

    private func resolved(_ answer: Resolver.Answer) {
        switch answer {
        case .success(let found): connect(found)
        case .failure(let error): fail(error)
        }
    }

    private func connect(_ found: [IPAddress]) {
        let allowed = found.filter(target.addresses.permits)
        guard allowed.isEmpty else { return race(allowed) }
        fail(leadingBack(found) ?? TransportError(forbidding: found, of: target))
    }

    /// The error for addresses of which one is a listener of this process.
    private func leadingBack(_ found: [IPAddress]) -> TransportError? {
        guard let own else { return nil }
        for address in found.map({ SocketAddress($0, port: target.peerPort) }) where own.contains(address) {
            return TransportError(leadingBackTo: address, from: target)
        }
        return nil
    }

    private func race(_ found: [IPAddress]) {
        if let error = leadingBack(found) { return fail(error) }
        addresses = found.map { SocketAddress($0, port: target.peerPort) }
        let race = AddressRace(
            loop: loop, addresses: addresses,
            won: { [unowned self] in connected($0) },
            lost: { [unowned self] in fail(connectError($0)) })
        stage = .connecting(race)
        race.begin()
    }

    private func connected(_ socket: consuming Socket) {
        guard let parent = target.parent, parent.opensTunnel else { return secure(socket) }
        let opening = TunnelOpening(
            to: target.authority, through: parent, via: own?.via ?? [], on: socket, loop: loop,
            opened: { [unowned self] in secure($0) },
            failed: { [unowned self] error in
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
        let handshake = TLSHandshake(session, on: socket, loop: loop) { [unowned self] in finish($0) }
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
        loop.later { self.finish(.failure(error)) }
    }

    private func finish(_ result: Result<StreamConnection, TransportError>) {
        let done = done
        cancel()
        done?(result)
    }

    private var timeoutError: TransportError {
        let tried = addresses.map(\.description).joined(separator: ", ")
        let isOnTheWay: Bool
        let what: String
        switch stage {
        case .none, .resolving:
            (isOnTheWay, what) = (
                true, "no name server gave an address of \(target.parent?.description ?? target.host)"
            )
        case .connecting: (isOnTheWay, what) = (true, "\(peerName) did not accept a connection (\(tried))")
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
