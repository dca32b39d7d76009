/// One attempt to connect, from the name to the finished TLS handshake.
///
/// Confined to the loop's thread. Keeps itself alive until it is over.
package final class ConnectAttempt {
    /// What the attempt waits for.
    private enum Stage {
        /// Nothing: it has not begun, or is over.
        case none
        case resolving(Resolver.Wait)
        case connecting(AddressRace)
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
        case .shakingHands(let handshake): handshake.cancel()
        }
        // The timer's closure holds the attempt.
        limit = nil
    }

    func begin(_ resolver: Resolver, _ overrides: AddressOverrides) {
        let limit = Timer(loop: loop) { self.finish(.failure(self.timeoutError)) }
        limit.schedule(after: timeout)
        self.limit = limit
        if let address = IPAddress(literal: target.host) {
            connect([address])
        } else if let given = overrides.addresses(of: target.host, port: target.port) {
            // The operator has chosen the addresses, so none of them is refused.
            race(given)
        } else {
            let wait = resolver.resolve(target.host, isChosenByApp: target.isChosenByApp) { self.resolved($0) }
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
        for address in found.map({ SocketAddress($0, port: target.port) }) where own.contains(address) {
            return TransportError(leadingBackTo: address, from: target)
        }
        return nil
    }

    private func race(_ found: [IPAddress]) {
        if let error = leadingBack(found) { return fail(error) }
        addresses = found.map { SocketAddress($0, port: target.port) }
        let race = AddressRace(
            loop: loop, addresses: addresses,
            won: { [unowned self] in connected($0) },
            lost: { [unowned self] in fail(connectError($0)) })
        stage = .connecting(race)
        race.begin()
    }

    private func connected(_ socket: consuming Socket) {
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
        let what =
            switch stage {
            case .none, .resolving: "no name server gave an address of \(target.host)"
            case .connecting: "\(target.authority) did not accept a connection (\(tried))"
            case .shakingHands: "\(target.authority) did not finish the TLS handshake"
            }
        return TransportError(.timedOut, "\(what) within \(timeout)")
    }

    private func connectError(_ failures: [(address: SocketAddress, errno: Int32)]) -> TransportError {
        if let only = failures.first, failures.count == 1, "\(only.address)" == target.authority {
            return TransportError(system: only.errno, "cannot connect to \(target.authority)")
        }
        let errors = failures.map { TransportError(system: $0.errno, "\($0.address)") }
        // A refused connection says more than an address family that this host lacks.
        guard let telling = errors.last(where: { $0.kind != .unreachable }) ?? errors.last else {
            return TransportError(.resolution, "\(target.authority) has no address; check the name")
        }
        let reasons = errors.map(\.message).joined(separator: ", ")
        return TransportError(
            telling.kind, "cannot connect to \(target.authority): \(reasons)", errno: telling.errno)
    }
}
