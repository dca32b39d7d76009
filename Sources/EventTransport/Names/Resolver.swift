import Glibc

/// Resolves names to addresses: from the hosts file first, then from name servers with c-ares.
///
/// Confined to the loop's thread. No socket is open and no timer runs while no one waits for an answer. Callers that
/// wait for the same name share one look-up; it is abandoned when the last of them cancels. A resolver that is
/// released calls nothing.
final class Resolver {
    typealias Answer = Result<[IPAddress], TransportError>

    /// A caller that waits for an answer.
    final class Wait {
        private weak var resolver: Resolver?
        private let name: String
        private let number: Int
        fileprivate var done: ((Answer) -> Void)?

        fileprivate init(_ resolver: Resolver, _ name: String, _ number: Int, _ done: @escaping (Answer) -> Void) {
            self.resolver = resolver
            self.name = name
            self.number = number
            self.done = done
        }

        /// Cancels the wait; its closure is no longer called.
        func cancel() {
            guard done != nil else { return }
            done = nil
            resolver?.abandoned(name, number)
        }
    }

    private struct Pending {
        let lookup: NameLookup
        /// The server order's `first` when the look-up began.
        let firstServer: Int
        var waiting: [Int: Wait] = [:]
        /// Whether all callers that wait got the name from an app and none from the configuration.
        var isChosenByApp: Bool
    }

    private struct Kept {
        let addresses: [IPAddress]
        let until: MonotonicInstant
        let isChosenByApp: Bool
    }

    /// How many names chosen by apps are looked up at a time.
    ///
    /// Each look-up takes a descriptor and 80 KB of c-ares' memory, and an app may name hosts whose servers never
    /// answer. If servers answer within some 20 ms, 64 for each worker suffice for thousands of new hosts a second.
    static let chosenLimit = 64
    private static let keptAnswers = 1024

    private let loop: EventLoop
    private var file: ChangingFile
    private var configuration: ResolverConfiguration
    private var hosts: HostsFile
    private var order = ServerOrder()
    private var kept: [String: Kept] = [:]
    private var pending: [String: Pending] = [:]
    private var nextNumber = 0

    init(loop: EventLoop, configuration: String, hostsFile: String) {
        self.loop = loop
        file = ChangingFile(path: configuration)
        self.configuration = ResolverConfiguration("", hostName: "")
        hosts = HostsFile(path: hostsFile)
    }

    /// Calls `done` with at least one address, at once if the answer is known.
    ///
    /// - Parameters:
    ///   - name: The name in any case.
    ///   - isChosenByApp: Whether the look-up is refused while too many such names are being looked up; names of the
    ///     configuration never are.
    ///   - done: Called once, unless the wait is cancelled.
    /// - Returns: Nil if `done` has been called.
    @discardableResult
    func resolve(_ name: String, isChosenByApp: Bool = false, _ done: @escaping (Answer) -> Void) -> Wait? {
        let name = name.lowercased()
        let relative = name.hasSuffix(".") ? String(name.dropLast()) : name
        guard Self.isPossible(relative) else {
            done(.failure(NameLookup.impossible(relative)))
            return nil
        }
        if let answer = known(name, relative) {
            done(answer)
            return nil
        }
        if pending[name] == nil, let error = begin(name, isChosenByApp) {
            done(.failure(error))
            return nil
        }
        nextNumber += 1
        let wait = Wait(self, name, nextNumber, done)
        pending[name]?.waiting[nextNumber] = wait
        if !isChosenByApp { pending[name]?.isChosenByApp = false }
        return wait
    }

    private func known(_ name: String, _ relative: String) -> Answer? {
        // This host, whatever name servers say (RFC 6761 section 6.3).
        if relative == "localhost" || relative.hasSuffix(".localhost") { return .success([.loopbackV6, .loopbackV4]) }
        if let kept = kept[name], kept.until > loop.now { return .success(kept.addresses) }
        if pending[name] != nil { return nil }
        let listed = hosts.addresses(of: relative)
        return listed.isEmpty ? nil : .success(listed)
    }

    /// Begins to look up a name; the error says why it cannot.
    private func begin(_ name: String, _ isChosenByApp: Bool) -> TransportError? {
        if isChosenByApp, pending.values.count(where: \.isChosenByApp) >= Self.chosenLimit {
            return TransportError(
                .tooManyLookups,
                "\(name) was not resolved, because \(Self.chosenLimit) other names that apps chose still wait for the name "
                    + "servers; try again later, or make it the upstream of a route")
        }
        if let text = file.newText() {
            configuration = ResolverConfiguration(text, hostName: Self.hostName)
            order = ServerOrder()
        }
        let lookup = NameLookup(name, configuration, loop: loop) { [unowned self] in answered(name, $0, $1) }
        let servers = order.next(configuration.servers, rotates: configuration.rotates, now: loop.now)
        pending[name] = Pending(lookup: lookup, firstServer: order.first, isChosenByApp: isChosenByApp)
        loop.later { [weak lookup] in lookup?.begin(servers) }
        return nil
    }

    private func answered(_ name: String, _ result: Result<NameLookup.Found, TransportError>, _ timeouts: Int) {
        guard let ended = pending.removeValue(forKey: name) else { return }
        if case .success(let found) = result {
            order.answered(afterTimeouts: timeouts, from: ended.firstServer, now: loop.now)
            keep(found, of: name, isChosenByApp: ended.isChosenByApp)
        }
        let answer = result.map(\.addresses)
        for (_, wait) in ended.waiting.sorted(by: { $0.key < $1.key }) {
            let done = wait.done
            wait.done = nil
            done?(answer)
        }
    }

    private func keep(_ found: NameLookup.Found, of name: String, isChosenByApp: Bool) {
        if kept.count >= Self.keptAnswers {
            // Names chosen by apps never displace names of the configuration.
            kept = kept.filter { !$0.value.isChosenByApp && $0.value.until > loop.now }
            if kept.count >= Self.keptAnswers { kept.removeAll() }
        }
        kept[name] = Kept(
            addresses: found.addresses, until: loop.now + Self.life(found.ttl), isChosenByApp: isChosenByApp)
    }

    /// How long an answer is kept.
    ///
    /// Less than 10 s would mean a look-up for nearly every connection; more than 60 s would delay the move to a
    /// backend's new address for too long.
    static func life(_ ttl: Int?) -> Duration { .seconds(min(max(ttl ?? 0, 10), 60)) }

    private func abandoned(_ name: String, _ number: Int) {
        pending[name]?.waiting[number] = nil
        if pending[name]?.waiting.isEmpty == true { pending[name] = nil }
    }

    /// Whether a name without its final dot can be looked up (RFC 1035 section 2.3.4).
    private static func isPossible(_ name: String) -> Bool {
        // c-ares reads a backslash as the start of an escape.
        guard !name.isEmpty, name.utf8.count <= 253, !name.utf8.contains(where: { $0 == 0 || $0 == 0x5c }) else {
            return false
        }
        return name.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
            .allSatisfy { (1...63).contains($0.count) }
    }

    private static var hostName: String {
        // SAFETY: the buffer is lent with its length, and a zero is left at its end.
        unsafe withUnsafeTemporaryAllocation(of: CChar.self, capacity: 256) { buffer in
            guard let start = buffer.baseAddress else { return "" }
            unsafe buffer.initialize(repeating: 0)
            guard unsafe gethostname(start, 255) == 0 else { return "" }
            return unsafe String(cString: start)
        }
    }
}
