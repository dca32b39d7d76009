import Glibc

/// The look-up of one name, for IPv4 and IPv6 addresses at the same time (RFC 8305 section 3).
///
/// Confined to the loop's thread. Reports IPv6 addresses at once, and IPv4 addresses if the others do not come within 50 ms.
/// Then it waits 2 s for the rest. Calls its closure with an end once; a look-up that is released earlier is abandoned and
/// calls nothing.
final class NameLookup {
    enum Event {
        /// Addresses of one kind; the other kind is still awaited.
        case some([IPAddress])
        /// The end: all addresses, and for how many seconds they may be kept; nil if one kind got no answer.
        case found([IPAddress], ttl: Int?)
        /// The end: the servers say that there is no address, perhaps without an answer for one of the kinds.
        case missing(TransportError, unanswered: Set<AddressKind>)
        /// The end: no server could say.
        case failed(TransportError)
    }

    /// The delay that RFC 8305 section 3 recommends.
    private static let resolutionDelay = Duration.milliseconds(50)
    /// Long enough to ask once more after a lost datagram; some servers never answer for IPv6.
    private static let lateLimit = Duration.seconds(2)

    private let name: String
    private let configuration: ResolverConfiguration
    private var candidates: [String]
    private let heard: (Event) -> Void
    private var replies: [AddressKind: NameServerReply] = [:]
    /// The kinds for which the question was repeated without EDNS.
    private var askedPlainly: Set<AddressKind> = []
    /// The number of tries that timed out.
    private(set) var timeouts = 0
    /// Why no server could answer for the first candidate that failed.
    private var failure: TransportError?
    /// The kinds for which a candidate got no usable answer.
    private var unanswered: Set<AddressKind> = []
    private var channel: NameServerChannel?
    private var delay: Timer?
    private let loop: EventLoop

    /// A look-up that has not begun.
    ///
    /// - Parameters:
    ///   - name: The name in lower case.
    ///   - configuration: The settings that complete names.
    ///   - loop: A loop that outlives the look-up.
    ///   - heard: Called in `begin(_:)` or in a callback of the loop.
    init(
        _ name: String, _ configuration: ResolverConfiguration, loop: EventLoop,
        _ heard: @escaping (Event) -> Void
    ) {
        self.name = name
        self.configuration = configuration
        self.loop = loop
        self.heard = heard
        candidates = configuration.candidates(for: name).reversed()
    }

    func begin(_ servers: [SocketAddress]) {
        channel = NameServerChannel(servers: servers, configuration: configuration, loop: loop) { [unowned self] in
            answered()
        }
        guard channel != nil else {
            return heard(.failed(TransportError(system: ENOMEM, "cannot ask a name server for \(name)")))
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
        if case .addresses = replies[.v6] { return tellSome() }
        wait(Self.resolutionDelay) { [unowned self] in tellSome() }
    }

    private func tellSome() {
        wait(Self.lateLimit) { [unowned self] in conclude() }
        heard(.some(found))
    }

    private func wait(_ duration: Duration, _ then: @escaping () -> Void) {
        let delay = Timer(loop: loop, then)
        delay.schedule(after: duration)
        self.delay = delay
    }

    private func conclude() {
        let found = found
        guard found.isEmpty else { return finish(.found(found, ttl: ttl)) }
        unanswered.formUnion([AddressKind.v6, .v4].filter { replies[$0]?.isAnswer != true })
        // "No such name" holds for both kinds, whatever the other question's result is: nobody waits for that. What is
        // known of the other kind, `NameCache` keeps. A name that a search domain makes too long does not exist either.
        let isMissing =
            replies.values.contains { $0 == .noSuchName || $0 == .badName }
            || replies.values.allSatisfy { $0 == .noAddress }
        if !isMissing {
            failure = failure ?? error
            // A server that does not answer would delay each further candidate just as long. One that fails or
            // refuses may do so only for this search domain.
            guard !replies.values.contains(.timedOut) else { return finish(.failed(error)) }
        }
        candidates.removeLast()
        if candidates.isEmpty { return finish(end) }
        askNext()
    }

    /// The end without an address, after the last candidate.
    private var end: Event {
        failure.map { .failed($0) } ?? .missing(Self.unknown(name), unanswered: unanswered)
    }

    private func finish(_ end: Event) {
        delay = nil
        channel = nil
        heard(end)
    }

    /// IPv6 first, which RFC 6724 prefers for most hosts.
    private var found: [IPAddress] { addresses(.v6) + addresses(.v4) }

    private func addresses(_ kind: AddressKind) -> [IPAddress] {
        if case .addresses(let found, _) = replies[kind] { found } else { [] }
    }

    /// Nil if one kind got no usable answer.
    private var ttl: Int? {
        var least = Int.max
        for kind in [AddressKind.v6, .v4] {
            switch replies[kind] {
            case .addresses(_, let ttl): least = min(least, ttl)
            case .noAddress, .noSuchName, .badName: continue
            case .formatError, .timedOut, .unusable, nil: return nil
            }
        }
        return least
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
