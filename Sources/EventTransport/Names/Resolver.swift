import Glibc

/// Turns names into addresses: the hosts file first, then name servers by c-ares.
///
/// Confined to the loop's thread. Nothing is open, and no timer runs, while nobody waits for an answer. Whoever asks for
/// a name that is being asked for shares the answer; a name that nobody waits for any more is given up. A resolver that
/// is released calls nobody.
final class Resolver {
    typealias Answer = Result<[IPAddress], TransportError>

    /// One who waits for an answer.
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

        /// Its closure is not called any more.
        func cancel() {
            guard done != nil else { return }
            done = nil
            resolver?.abandoned(name, number)
        }
    }

    private struct Pending {
        let lookup: NameLookup
        /// The value of the order's `first` when the look-up began.
        let firstServer: Int
        var waiting: [Int: Wait] = [:]
        /// Whether nobody waits who asked for a name of the configuration.
        var isChosenByApp: Bool
    }

    private struct Kept {
        let addresses: [IPAddress]
        let until: MonotonicInstant
        let isChosenByApp: Bool
    }

    /// How many names that apps choose are asked for at a time.
    ///
    /// Each has a descriptor and 80 KB of c-ares' memory, and an app may name hosts whose servers never answer. 64 a worker
    /// are enough for thousands of new hosts a second whose servers answer within some 20 ms.
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

    /// Calls `done` with at least one address, at once where the answer is known.
    ///
    /// - Parameters:
    ///   - name: In any case.
    ///   - isChosenByApp: Refused while too many such names are being asked for; names of the configuration never are.
    ///   - done: Called once, unless the wait is cancelled.
    /// - Returns: Nil where `done` has been called.
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

    /// Starts to ask for a name, or says why not.
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
            // Apps that name ever new hosts do not push out the names of the configuration.
            kept = kept.filter { !$0.value.isChosenByApp && $0.value.until > loop.now }
            if kept.count >= Self.keptAnswers { kept.removeAll() }
        }
        kept[name] = Kept(
            addresses: found.addresses, until: loop.now + Self.life(found.ttl), isChosenByApp: isChosenByApp)
    }

    /// How long an answer is kept.
    ///
    /// Less than 10 s would have a name asked for at nearly every connection; more than 60 s would hide for too long that
    /// a backend has moved.
    static func life(_ ttl: Int?) -> Duration { .seconds(min(max(ttl ?? 0, 10), 60)) }

    private func abandoned(_ name: String, _ number: Int) {
        pending[name]?.waiting[number] = nil
        if pending[name]?.waiting.isEmpty == true { pending[name] = nil }
    }

    /// Whether a name without the final dot can be asked for (RFC 1035 section 2.3.4).
    private static func isPossible(_ name: String) -> Bool {
        // c-ares takes a backslash for the start of an escape.
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
