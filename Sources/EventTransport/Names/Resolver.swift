import Glibc

/// Resolves names to addresses: from the hosts file first, then from name servers with c-ares.
///
/// Confined to the loop's thread. No socket is open while no look-up is in progress. Callers that wait for the same name
/// share one look-up; it is abandoned when the last of them cancels, unless it has found something or refreshes an old
/// answer. `NameCache` says which answers serve. A resolver that is released calls nothing.
final class Resolver {
    /// The addresses of a name.
    struct Found: Equatable {
        /// At least one, the preferred ones first.
        let addresses: [IPAddress]
        /// Whether it is the last call; otherwise the caller is called again.
        let isWhole: Bool
    }

    typealias Answer = Result<Found, TransportError>

    /// A caller that waits for an answer, or for its rest.
    final class Wait {
        private weak var resolver: Resolver?
        private let name: String
        private let number: Int
        fileprivate var heard: ((Answer) -> Void)?

        fileprivate init(_ resolver: Resolver, _ name: String, _ number: Int, _ heard: @escaping (Answer) -> Void) {
            self.resolver = resolver
            self.name = name
            self.number = number
            self.heard = heard
        }

        /// Cancels the wait; its closure is no longer called.
        func cancel() {
            guard heard != nil else { return }
            heard = nil
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
        /// Whether the look-up continues without callers.
        var isRefresh: Bool
        /// The addresses that the callers have heard so far: a part of the answer, or old ones.
        var told: [IPAddress] = []
        /// Ends the wait of callers for whom an old answer exists.
        var staleTimer: Timer?
    }

    /// How many names chosen by apps are looked up at a time.
    ///
    /// Each look-up takes a descriptor and 80 KB of c-ares' memory, and an app may name hosts whose servers never
    /// answer. If servers answer within some 20 ms, 64 for each worker suffice for thousands of new hosts a second.
    static let chosenLimit = 64
    /// How many names are looked up at a time without a caller.
    private static let refreshLimit = 64
    /// How long a caller waits if an old answer exists (RFC 8767 section 5 recommends at most 1.8 s).
    static let staleTimeout = Duration.seconds(1)

    private let loop: EventLoop
    private let counts: NameCounts
    private var file: ChangingFile
    private var configuration: ResolverConfiguration
    private var hosts: HostsFile
    private var order = ServerOrder()
    private var cache = NameCache()
    private var pending: [String: Pending] = [:]
    private var nextNumber = 0
    private lazy var refresh = Timer(loop: loop) { [unowned self] in refreshDue() }

    init(loop: EventLoop, configuration: String, hostsFile: String, counts: NameCounts = NameCounts()) {
        self.loop = loop
        self.counts = counts
        file = ChangingFile(path: configuration)
        self.configuration = ResolverConfiguration("", hostName: "")
        hosts = HostsFile(path: hostsFile)
    }

    /// Calls `heard` with addresses, at once if they are known, and again if more are found.
    ///
    /// - Parameters:
    ///   - name: The name in any case.
    ///   - isChosenByApp: Whether the look-up is refused while too many such names are being looked up; names of the
    ///     configuration never are.
    ///   - heard: Called until an answer is whole or an error, unless the wait is cancelled.
    /// - Returns: Nil if no further call follows.
    @discardableResult
    func resolve(_ name: String, isChosenByApp: Bool = false, _ heard: @escaping (Answer) -> Void) -> Wait? {
        let name = name.lowercased()
        let relative = name.hasSuffix(".") ? String(name.dropLast()) : name
        guard Self.isPossible(relative) else {
            heard(.failure(NameLookup.impossible(relative)))
            return nil
        }
        if let listed = listed(relative) {
            heard(.success(Found(addresses: listed, isWhole: true)))
            return nil
        }
        var old: [IPAddress]?
        switch cache.use(name, isChosenByApp: isChosenByApp, now: loop.now) {
        case .fresh(let addresses):
            counts.hits.increase()
            heard(.success(Found(addresses: addresses, isWhole: true)))
            return nil
        case .failing(let addresses):
            // Another name server may answer what those before could not.
            guard readConfiguration() else { return serveStale(addresses, heard) }
            return resolve(name, isChosenByApp: isChosenByApp, heard)
        case .ended(let addresses):
            // If too many other names are being looked up, a later caller begins.
            if pending[name] == nil { _ = begin(name, isChosenByApp, isRefresh: true) }
            return serveStale(addresses, heard)
        case .outdated(let addresses): old = addresses
        case .unknown: break
        }
        if pending[name] == nil, let error = begin(name, isChosenByApp, isRefresh: old != nil) {
            if let old { return serveStale(old, heard) }
            heard(.failure(error))
            return nil
        }
        return wait(for: name, isChosenByApp, old, heard)
    }

    private func wait(
        for name: String, _ isChosenByApp: Bool, _ old: [IPAddress]?, _ heard: @escaping (Answer) -> Void
    ) -> Wait? {
        nextNumber += 1
        let wait = Wait(self, name, nextNumber, heard)
        pending[name]?.waiting[nextNumber] = wait
        if !isChosenByApp { pending[name]?.isChosenByApp = false }
        if let old, pending[name]?.staleTimer == nil {
            let staleTimer = Timer(loop: loop) { [unowned self] in
                cache.delayed(name)
                tell(name, old, isStale: true)
            }
            staleTimer.schedule(after: Self.staleTimeout)
            pending[name]?.staleTimer = staleTimer
        }
        if let told = pending[name]?.told, !told.isEmpty { heard(.success(Found(addresses: told, isWhole: false))) }
        return wait
    }

    private func serveStale(_ addresses: [IPAddress], _ heard: (Answer) -> Void) -> Wait? {
        counts.stale.increase()
        heard(.success(Found(addresses: addresses, isWhole: true)))
        return nil
    }

    /// The addresses that this host gives a name; nil if name servers know it.
    private func listed(_ relative: String) -> [IPAddress]? {
        // This host, whatever name servers say (RFC 6761 section 6.3).
        if relative == "localhost" || relative.hasSuffix(".localhost") { return [.loopbackV6, .loopbackV4] }
        let listed = hosts.addresses(of: relative)
        return listed.isEmpty ? nil : listed
    }

    // MARK: Look-ups

    /// Begins to look up a name; the error says why it cannot.
    private func begin(_ name: String, _ isChosenByApp: Bool, isRefresh: Bool) -> TransportError? {
        if isChosenByApp, pending.values.count(where: \.isChosenByApp) >= Self.chosenLimit {
            return TransportError(
                .tooManyLookups,
                "\(name) was not resolved, because \(Self.chosenLimit) other names that apps chose still wait for the name "
                    + "servers; try again later, or make it the upstream of a route")
        }
        readConfiguration()
        let lookup = NameLookup(name, configuration, loop: loop) { [unowned self] in heard(name, $0) }
        let servers = order.next(configuration.servers, rotates: configuration.rotates, now: loop.now)
        pending[name] = Pending(
            lookup: lookup, firstServer: order.first, isChosenByApp: isChosenByApp, isRefresh: isRefresh)
        loop.later { [weak lookup] in lookup?.begin(servers) }
        return nil
    }

    /// Reads resolv.conf if it has changed; false if it has not.
    @discardableResult
    private func readConfiguration() -> Bool {
        guard let text = file.newText() else { return false }
        configuration = ResolverConfiguration(text, hostName: Self.hostName)
        order = ServerOrder()
        cache.serversChanged(now: loop.now)
        return true
    }

    private func heard(_ name: String, _ event: NameLookup.Event) {
        if case .some(let addresses) = event { return tell(name, addresses, isStale: false) }
        guard let ended = pending.removeValue(forKey: name) else { return }
        let answer: Answer
        switch event {
        case .some: return
        case .found(let addresses, let ttl):
            counts.found.increase()
            order.answered(afterTimeouts: ended.lookup.timeouts, from: ended.firstServer, now: loop.now)
            cache.found(addresses, ttl: ttl, of: name, isChosenByApp: ended.isChosenByApp, now: loop.now)
            answer = .success(Found(addresses: addresses, isWhole: true))
        case .missing(let error, let unanswered):
            counts.missing.increase()
            let known = cache.missing(name, unanswered: unanswered, now: loop.now) ?? ended.told
            answer = known.isEmpty ? .failure(error) : .success(Found(addresses: known, isWhole: true))
        case .failed(let error):
            counts.failed.increase()
            if let old = cache.failed(name, now: loop.now) {
                if ended.told.isEmpty { for _ in ended.waiting { counts.stale.increase() } }
                answer = .success(Found(addresses: old, isWhole: true))
            } else {
                answer = .failure(error)
            }
        }
        scheduleRefresh()
        for (_, wait) in ended.waiting.sorted(by: { $0.key < $1.key }) {
            let heard = wait.heard
            wait.heard = nil
            heard?(answer)
        }
    }

    /// Passes on addresses before the look-up has ended.
    private func tell(_ name: String, _ addresses: [IPAddress], isStale: Bool) {
        guard let waiting = pending[name]?.waiting else { return }
        pending[name]?.told = addresses
        pending[name]?.staleTimer?.cancel()
        for (_, wait) in waiting.sorted(by: { $0.key < $1.key }) {
            if isStale { counts.stale.increase() }
            wait.heard?(.success(Found(addresses: addresses, isWhole: false)))
        }
    }

    private func abandoned(_ name: String, _ number: Int) {
        pending[name]?.waiting[number] = nil
        guard let left = pending[name], left.waiting.isEmpty, left.told.isEmpty, !left.isRefresh else { return }
        pending[name] = nil
    }

    // MARK: Refreshing

    private func scheduleRefresh() {
        guard pending.values.count(where: \.isRefresh) < Self.refreshLimit, let next = cache.nextRefresh else { return }
        refresh.schedule(at: next)
    }

    private func refreshDue() {
        let free = max(0, Self.refreshLimit - pending.values.count(where: \.isRefresh))
        for name in cache.takeDue(free, now: loop.now) where pending[name] == nil {
            _ = begin(name, false, isRefresh: true)
        }
        scheduleRefresh()
    }

    // MARK: Names

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
