extension Connector {
    /// Looks up all addresses to which a connection to this host could lead, as `connect` does.
    ///
    /// - Parameters:
    ///   - host: A name or an IP address without brackets.
    ///   - port: The port.
    ///   - timeout: The time for the look-up.
    ///   - done: Called once; before this function returns if the address is known already.
    package func addresses(
        of host: String, port: UInt16, timeout: Duration,
        _ done: @escaping (Result<[IPAddress], TransportError>) -> Void
    ) {
        if let address = IPAddress(literal: host) { return done(.success([address])) }
        if let given = overrides.addresses(of: host, port: port) { return done(.success(given)) }
        let search = AddressSearch(host, loop: loop, done)
        search.begin(resolver, timeout)
    }
}

/// One look-up of all addresses of a name; keeps itself alive until it is over.
private final class AddressSearch {
    private let host: String
    private let loop: EventLoop
    private var done: ((Result<[IPAddress], TransportError>) -> Void)?
    private var found: [IPAddress] = []
    private var wait: Resolver.Wait?
    private var limit: Timer?

    init(_ host: String, loop: EventLoop, _ done: @escaping (Result<[IPAddress], TransportError>) -> Void) {
        self.host = host
        self.loop = loop
        self.done = done
    }

    func begin(_ resolver: Resolver, _ timeout: Duration) {
        let limit = Timer(loop: loop) { self.ranOutOfTime(timeout) }
        limit.schedule(after: timeout)
        self.limit = limit
        wait = resolver.resolve(host) { [self] answer in
            switch answer {
            case .success(let answer):
                found += answer.addresses.filter { !found.contains($0) }
                if answer.isWhole { end(.success(found)) }
            case .failure(let error): end(found.isEmpty ? .failure(error) : .success(found))
            }
        }
    }

    private func ranOutOfTime(_ timeout: Duration) {
        let error = TransportError(.resolution, "no name server gave an address of \(host) within \(timeout)")
        end(found.isEmpty ? .failure(error) : .success(found))
    }

    private func end(_ result: Result<[IPAddress], TransportError>) {
        guard let done else { return }
        self.done = nil
        wait?.cancel()
        wait = nil
        // The timer's closure holds the search.
        limit = nil
        done(result)
    }
}
