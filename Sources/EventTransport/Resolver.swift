import CLibevent
import Glibc

/// Turns names into addresses with evdns, the hosts file first.
///
/// Confined to the loop's thread. Nothing is opened before the first name is asked for. Answers are kept for
/// 10 s; whoever asks for a name that is being asked for shares the answer.
@safe
final class Resolver {
    typealias Answer = Result<[IPAddress], TransportError>

    private static let keptFor = Duration.seconds(10)
    private static let keptAnswers = 1024

    private let loop: EventLoop
    private let configuration: String
    private let hostsFile: String
    private var dns: OpaquePointer?
    private var kept: [String: (addresses: [IPAddress], until: ContinuousClock.Instant)] = [:]
    private var waiting: [String: [(Answer) -> Void]] = [:]

    init(loop: EventLoop, configuration: String, hostsFile: String) {
        self.loop = loop
        self.configuration = configuration
        self.hostsFile = hostsFile
        unsafe dns = nil
    }

    deinit {
        // A lookup under way holds the resolver, so none is left here.
        if let dns = unsafe dns { unsafe evdns_base_free(dns, 0) }
    }

    /// Calls `done` with at least one address, at once where the answer is known.
    func resolve(_ name: String, _ done: @escaping (Answer) -> Void) {
        let name = name.lowercased()
        if Self.isLocalhost(name) { return done(.success([.loopbackV6, .loopbackV4])) }
        if let known = kept[name], known.until > loop.now { return done(.success(known.addresses)) }
        if waiting[name] != nil {
            waiting[name]?.append(done)
            return
        }
        waiting[name] = [done]
        ask(name)
    }

    /// `localhost` and what is below it are this host whatever name servers say (RFC 6761 section 6.3).
    private static func isLocalhost(_ name: String) -> Bool {
        let name = name.hasSuffix(".") ? name.dropLast() : name[...]
        return name == "localhost" || name.hasSuffix(".localhost")
    }

    private func ask(_ name: String) {
        guard !name.utf8.contains(0), let dns = unsafe openedBase() else {
            return answered(name, EVUTIL_EAI_FAIL, [])
        }
        var hints = unsafe addrinfo()
        unsafe hints.ai_family = AF_UNSPEC
        unsafe hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        // SAFETY: evdns calls `nameAnswered` exactly once for this reference, perhaps before it returns.
        let context = unsafe Unmanaged.passRetained(Lookup(self, name)).toOpaque()
        unsafe _ = evdns_getaddrinfo(dns, name, nil, &hints, nameAnswered, context)
    }

    fileprivate func answered(_ name: String, _ code: Int32, _ found: [IPAddress]) {
        let answer: Answer
        if code == 0, !found.isEmpty {
            if kept.count >= Self.keptAnswers { kept.removeAll() }
            kept[name] = (found, loop.now + Self.keptFor)
            answer = .success(found)
        } else {
            answer = .failure(Self.failure(name, code))
        }
        for done in waiting.removeValue(forKey: name) ?? [] { done(answer) }
    }

    private static func failure(_ name: String, _ code: Int32) -> TransportError {
        switch code {
        case 0, EVUTIL_EAI_NONAME, EVUTIL_EAI_NODATA:
            return TransportError(.resolution, "no address is known for \(name); check the name")
        default:
            // SAFETY: the words are a static string.
            let words = unsafe String(cString: evutil_gai_strerror(code))
            return TransportError(
                .resolution, "cannot look up \(name): \(words); check the name and /etc/resolv.conf")
        }
    }

    private func openedBase() -> OpaquePointer? {
        if let dns = unsafe dns { return unsafe dns }
        // Without a log function evdns would write to standard error.
        unsafe evdns_set_log_fn { _, _ in }
        guard let made = unsafe evdns_base_new(loop.base, 0) else { return nil }
        // Impatient defaults: a connection attempt as a whole has but a few seconds. resolv.conf may differ.
        unsafe _ = evdns_base_set_option(made, "timeout:", "2")
        // How long the slower of A and AAAA is waited for; RFC 8305 would have far less still.
        unsafe _ = evdns_base_set_option(made, "getaddrinfo-allow-skew:", "0.3")
        // Names in mixed case, an extra against forged answers, trip some name servers.
        unsafe _ = evdns_base_set_option(made, "randomize-case:", "0")
        // Both may be missing: then there are no such hosts, and the name server is 127.0.0.1 (resolv.conf(5)).
        unsafe _ = evdns_base_load_hosts(made, hostsFile)
        unsafe _ = evdns_base_resolv_conf_parse(
            made, DNS_OPTION_SEARCH | DNS_OPTION_NAMESERVERS | DNS_OPTION_MISC, configuration)
        unsafe dns = made
        return unsafe made
    }
}

private final class Lookup {
    let resolver: Resolver
    let name: String

    init(_ resolver: Resolver, _ name: String) {
        self.resolver = resolver
        self.name = name
    }
}

private func nameAnswered(_ code: Int32, _ list: UnsafeMutablePointer<addrinfo>?, _ context: UnsafeMutableRawPointer?) {
    var found: [IPAddress] = []
    var entry = unsafe list
    while let this = unsafe entry {
        var raw = attache_address()
        // SAFETY: evdns fills the entries of its list, which is ours until it is freed below.
        if let address = unsafe this.pointee.ai_addr, unsafe attache_address_read(address, &raw) {
            let ip = IPAddress(raw)
            if !found.contains(ip) { found.append(ip) }
        }
        unsafe entry = this.pointee.ai_next
    }
    if let list = unsafe list { unsafe evutil_freeaddrinfo(list) }
    guard let context = unsafe context else { return }
    // SAFETY: balances the retain in `ask`.
    let lookup = unsafe Unmanaged<Lookup>.fromOpaque(context).takeRetainedValue()
    lookup.resolver.answered(lookup.name, code, found)
}
