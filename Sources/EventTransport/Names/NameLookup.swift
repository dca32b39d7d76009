import Glibc

/// One name being asked for, its IPv4 and its IPv6 addresses at the same time.
///
/// Confined to the loop's thread. Once there are addresses of one kind the other kind is waited for only shortly. Calls
/// its closure once; a look-up that is released earlier is given up and calls nobody.
final class NameLookup {
    struct Found {
        let addresses: [IPAddress]
        /// For how many seconds they may be kept; nil where only one kind answered.
        let ttl: Int?
    }

    /// What RFC 8305 section 3 recommends.
    private static let resolutionDelay = Duration.milliseconds(50)

    private let name: String
    private let configuration: ResolverConfiguration
    private var candidates: [String]
    private let done: (Result<Found, TransportError>, _ timeouts: Int) -> Void
    private var replies: [AddressKind: NameServerReply] = [:]
    /// The kinds that were asked for once more without EDNS.
    private var askedPlainly: Set<AddressKind> = []
    private var timeouts = 0
    /// Why the first candidate that servers failed to answer has no address.
    private var failure: TransportError?
    private var channel: NameServerChannel?
    private var delay: Timer?
    private let loop: EventLoop

    /// A look-up that has not begun.
    ///
    /// - Parameters:
    ///   - name: In lower case.
    ///   - configuration: How names are completed.
    ///   - loop: Outlives the look-up.
    ///   - done: Called in `begin(_:)` or in a callback of the loop, with the number of tries without an answer in time.
    init(
        _ name: String, _ configuration: ResolverConfiguration, loop: EventLoop,
        _ done: @escaping (Result<Found, TransportError>, _ timeouts: Int) -> Void
    ) {
        self.name = name
        self.configuration = configuration
        self.loop = loop
        self.done = done
        candidates = configuration.candidates(for: name).reversed()
    }

    func begin(_ servers: [SocketAddress]) {
        channel = NameServerChannel(servers: servers, configuration: configuration, loop: loop) { [unowned self] in
            answered()
        }
        guard channel != nil else {
            return done(.failure(TransportError(system: ENOMEM, "cannot ask a name server for \(name)")), 0)
        }
        askNext()
    }

    private func askNext() {
        guard let candidate = candidates.last else { return }
        replies = [:]
        askedPlainly = []
        channel?.ask(candidate, [.v6, .v4], isExtended: true)
    }

    private func answered() {
        for answer in channel?.takeAnswers() ?? [] {
            timeouts = max(timeouts, answer.timeouts)
            if answer.reply == .formatError, askedPlainly.insert(answer.kind).inserted, let name = candidates.last {
                channel?.ask(name, [answer.kind], isExtended: false)
            } else {
                replies[answer.kind] = answer.reply
            }
        }
        settle()
    }

    private func settle() {
        guard channel != nil else { return }
        if replies.count == 2 {
            delay = nil
            return conclude()
        }
        guard delay == nil, !found.isEmpty else { return }
        let delay = Timer(loop: loop) { [unowned self] in conclude() }
        delay.schedule(after: Self.resolutionDelay)
        self.delay = delay
    }

    private func conclude() {
        let found = found
        guard found.isEmpty else {
            return finish(.success(Found(addresses: found, ttl: replies.count == 2 ? ttl : nil)))
        }
        // That there is no such name holds for both kinds, whatever became of the other question. A name that has become
        // too long with a search domain does not exist either.
        let isMissing =
            replies.values.contains { $0 == .noSuchName || $0 == .badName }
            || replies.values.allSatisfy { $0 == .noAddress }
        if !isMissing {
            failure = failure ?? error
            // A server that does not answer would delay each further candidate just as long. One that fails or refuses
            // may do so for a search domain alone.
            guard !replies.values.contains(.timedOut) else { return finish(.failure(error)) }
        }
        candidates.removeLast()
        if candidates.isEmpty { return finish(.failure(failure ?? Self.unknown(name))) }
        askNext()
    }

    private func finish(_ result: Result<Found, TransportError>) {
        delay = nil
        channel = nil
        done(result, timeouts)
    }

    /// IPv6 first, as RFC 6724 would have it for most.
    private var found: [IPAddress] { addresses(.v6) + addresses(.v4) }

    private func addresses(_ kind: AddressKind) -> [IPAddress] {
        if case .addresses(let found, _) = replies[kind] { found } else { [] }
    }

    private var ttl: Int? {
        replies.values.compactMap { if case .addresses(_, let ttl) = $0 { ttl } else { nil } }.min()
    }

    // MARK: Errors

    private var error: TransportError {
        let failure = channel?.socketFailure ?? 0
        if failure != 0 { return TransportError(system: failure, "cannot ask a name server for \(name)") }
        let servers = configuration.servers.map(\.description).joined(separator: ", ")
        let asked =
            configuration.namesServer ? "(\(servers))" : "(\(servers), as /etc/resolv.conf has no nameserver line)"
        let what =
            replies.values.contains(.timedOut)
            ? "the name servers \(asked) did not answer in time for \(name)"
            : "the name servers \(asked) gave no usable answer for \(name): they failed, refused or cannot be reached"
        return TransportError(.resolution, "\(what); check /etc/resolv.conf")
    }

    static func unknown(_ name: String) -> TransportError {
        TransportError(.resolution, "no address is known for \(name); check the name")
    }

    static func impossible(_ name: String) -> TransportError {
        TransportError(.resolution, "\"\(name)\" cannot be the name of a host; correct it")
    }
}
