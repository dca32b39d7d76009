import Glibc

/// The look-up of one name, for IPv4 and IPv6 addresses at the same time.
///
/// Confined to the loop's thread. Once addresses of one kind have arrived, it waits for the other kind only briefly.
/// Calls its closure once; a look-up that is released earlier is abandoned and calls nothing.
final class NameLookup {
    struct Found {
        let addresses: [IPAddress]
        /// How many seconds the addresses may be kept; nil if only one kind answered.
        let ttl: Int?
    }

    /// The delay that RFC 8305 section 3 recommends.
    private static let resolutionDelay = Duration.milliseconds(50)

    private let name: String
    private let configuration: ResolverConfiguration
    private var candidates: [String]
    private let done: (Result<Found, TransportError>, _ timeouts: Int) -> Void
    private var replies: [AddressKind: NameServerReply] = [:]
    /// The kinds for which the question was repeated without EDNS.
    private var askedPlainly: Set<AddressKind> = []
    private var timeouts = 0
    /// Why no server could answer for the first candidate that failed.
    private var failure: TransportError?
    private var channel: NameServerChannel?
    private var delay: Timer?
    private let loop: EventLoop

    /// A look-up that has not begun.
    ///
    /// - Parameters:
    ///   - name: The name in lower case.
    ///   - configuration: The settings that complete names.
    ///   - loop: A loop that outlives the look-up.
    ///   - done: Called in `begin(_:)` or in a callback of the loop, with the number of tries that timed out.
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
        // "No such name" holds for both kinds, whatever the other question's result is. A name that a search domain
        // makes too long does not exist either.
        let isMissing =
            replies.values.contains { $0 == .noSuchName || $0 == .badName }
            || replies.values.allSatisfy { $0 == .noAddress }
        if !isMissing {
            failure = failure ?? error
            // A server that does not answer would delay each further candidate just as long. One that fails or
            // refuses may do so only for this search domain.
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

    /// IPv6 first, which RFC 6724 prefers for most hosts.
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
