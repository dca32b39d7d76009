import CLibevent
import Glibc

// SAFETY: the evdns_base is made on the loop's base, which the resolver keeps alive, and freed in deinit only.
/// Turns names into addresses: the hosts file first, then name servers by evdns.
///
/// Confined to the loop's thread. Nothing is opened before the first name is asked for. Answers are kept for
/// 10 s; whoever asks for a name that is being asked for shares the answer. A resolver that is released calls
/// nobody any more.
@safe
final class Resolver {
    typealias Answer = Result<[IPAddress], TransportError>

    private static let keptFor = Duration.seconds(10)
    private static let keptAnswers = 1024

    private struct Pending {
        let lookup: NameLookup
        var waiting: [(Answer) -> Void]
    }

    private let loop: EventLoop
    private let configuration: String
    private var hosts: HostsFile
    private var dns: OpaquePointer?
    private var kept: [String: (addresses: [IPAddress], until: MonotonicInstant)] = [:]
    private var pending: [String: Pending] = [:]

    init(loop: EventLoop, configuration: String, hostsFile: String) {
        self.loop = loop
        self.configuration = configuration
        hosts = HostsFile(path: hostsFile)
        unsafe dns = nil
    }

    deinit {
        // Questions under way are dropped without an answer.
        if let dns = unsafe dns { unsafe evdns_base_free(dns, 0) }
    }

    /// Calls `done` with at least one address, at once where the answer is known.
    func resolve(_ name: String, _ done: @escaping (Answer) -> Void) {
        let name = name.lowercased()
        let relative = name.hasSuffix(".") ? String(name.dropLast()) : name
        guard !relative.isEmpty, !relative.utf8.contains(0) else {
            return done(.failure(NameLookup.error(relative, DNS_ERR_FORMAT)))
        }
        if Self.isLocalhost(relative) { return done(.success([.loopbackV6, .loopbackV4])) }
        if let known = kept[name], known.until > loop.now { return done(.success(known.addresses)) }
        if pending[name] != nil {
            pending[name]?.waiting.append(done)
            return
        }
        let listed = hosts.addresses(of: relative)
        if !listed.isEmpty { return done(.success(listed)) }
        ask(name, done)
    }

    /// `localhost` and what is below it are this host whatever name servers say (RFC 6761 section 6.3).
    private static func isLocalhost(_ name: String) -> Bool { name == "localhost" || name.hasSuffix(".localhost") }

    private func ask(_ name: String, _ done: @escaping (Answer) -> Void) {
        guard let dns = unsafe openedBase() else {
            return done(.failure(TransportError(system: EMFILE, "cannot ask a name server for \(name)")))
        }
        let lookup = NameLookup(name, loop: loop) { [unowned self] in answered(name, $0) }
        pending[name] = Pending(lookup: lookup, waiting: [done])
        unsafe lookup.begin(dns)
    }

    private func answered(_ name: String, _ answer: Answer) {
        if case .success(let found) = answer {
            if kept.count >= Self.keptAnswers { kept.removeAll() }
            kept[name] = (found, loop.now + Self.keptFor)
        }
        for done in pending.removeValue(forKey: name)?.waiting ?? [] { done(answer) }
    }

    private func openedBase() -> OpaquePointer? {
        if let dns = unsafe dns { return unsafe dns }
        // Without a log function evdns would write to standard error.
        unsafe evdns_set_log_fn { _, _ in }
        guard let made = unsafe evdns_base_new(loop.base, 0) else { return nil }
        // An impatient default: a connection attempt as a whole has but a few seconds. resolv.conf may differ.
        unsafe _ = evdns_base_set_option(made, "timeout:", "2")
        // Names in mixed case, an extra against forged answers, trip some name servers.
        unsafe _ = evdns_base_set_option(made, "randomize-case:", "0")
        // It may be missing: then the name server is 127.0.0.1, as resolv.conf(5) has it.
        unsafe _ = evdns_base_resolv_conf_parse(
            made, DNS_OPTION_SEARCH | DNS_OPTION_NAMESERVERS | DNS_OPTION_MISC, configuration)
        // Without a descriptor for a name server it would never have one; the next name tries again.
        guard unsafe evdns_base_count_nameservers(made) > 0 else {
            unsafe evdns_base_free(made, 0)
            return nil
        }
        unsafe dns = made
        return unsafe made
    }
}
