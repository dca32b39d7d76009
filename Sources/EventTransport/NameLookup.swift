import CLibevent
import Glibc

/// One name being asked for, its IPv4 and its IPv6 addresses at the same time.
///
/// Confined to the loop's thread. Once there are addresses of one kind the other kind is waited for only
/// shortly (RFC 8305 section 3). Calls its closure once, in a callback of the loop; a lookup that is released
/// earlier calls nobody.
final class NameLookup {
    private static let waitForOtherKind = Duration.milliseconds(100)

    private let name: String
    private let loop: EventLoop
    private var done: ((Resolver.Answer) -> Void)?
    private var unanswered = 0
    private var v6: [IPAddress] = []
    private var v4: [IPAddress] = []
    private var failure = DNS_ERR_NODATA
    private var patience: Timer?
    private var question: Question?

    init(_ name: String, loop: EventLoop, _ done: @escaping (Resolver.Answer) -> Void) {
        self.name = name
        self.loop = loop
        self.done = done
    }

    deinit {
        // The other kind's answer still comes, or one that is already on its way through libevent's queue.
        if let question, question.answersDue > 0 { loop.heldByC[ObjectIdentifier(question)] = question }
    }

    func begin(_ dns: OpaquePointer) {
        let question = Question(self, loop)
        self.question = question
        unanswered = 2
        question.answersDue = 2
        // SAFETY: this lookup keeps the question until both answers are there, or else the loop does.
        let context = unsafe Unmanaged.passUnretained(question).toOpaque()
        if unsafe evdns_base_resolve_ipv6(dns, name, 0, questionAnswered, context) == nil {
            question.answersDue -= 1
            loop.later { self.answered(DNS_ERR_FORMAT, []) }
        }
        if unsafe evdns_base_resolve_ipv4(dns, name, 0, questionAnswered, context) == nil {
            question.answersDue -= 1
            loop.later { self.answered(DNS_ERR_FORMAT, []) }
        }
    }

    fileprivate func answered(_ code: Int32, _ found: [IPAddress]) {
        unanswered -= 1
        // "No such name" for one kind holds for the other; anything else may be about one kind only.
        if code != DNS_ERR_NONE, failure != DNS_ERR_NOTEXIST { failure = code }
        v6 += found.filter(\.isIPv6)
        v4 += found.filter { !$0.isIPv6 }
        if unanswered == 0 { return finish() }
        guard !v6.isEmpty || !v4.isEmpty else { return }
        let patience = Timer(loop: loop) { [unowned self] in finish() }
        patience.schedule(after: Self.waitForOtherKind)
        self.patience = patience
    }

    private func finish() {
        patience = nil
        let done = done
        self.done = nil
        let found = v6 + v4
        done?(found.isEmpty ? .failure(Self.error(name, failure)) : .success(found))
    }

    static func error(_ name: String, _ code: Int32) -> TransportError {
        switch code {
        case DNS_ERR_NOTEXIST, DNS_ERR_NODATA:
            return TransportError(.resolution, "no address is known for \(name); check the name")
        case DNS_ERR_FORMAT:
            return TransportError(.resolution, "\"\(name)\" cannot be the name of a host")
        default:
            // SAFETY: the words are a static string.
            let words = unsafe String(cString: evdns_err_to_string(code))
            return TransportError(
                .resolution, "the name servers gave no address for \(name): \(words); check /etc/resolv.conf")
        }
    }
}

/// What evdns holds of a lookup: it must not keep the lookup, and with it the loop, alive.
private final class Question {
    private(set) weak var lookup: NameLookup?
    /// How many answers evdns still owes.
    var answersDue = 0
    private unowned let loop: EventLoop

    init(_ lookup: NameLookup, _ loop: EventLoop) {
        self.lookup = lookup
        self.loop = loop
    }

    func answered(_ code: Int32, _ found: [IPAddress]) {
        answersDue -= 1
        if answersDue == 0 { loop.heldByC[ObjectIdentifier(self)] = nil }
        lookup?.answered(code, found)
    }
}

// SAFETY: the question lives until it is answered twice, or with the loop: see NameLookup.
private func questionAnswered(
    _ code: Int32, _ kind: CChar, _ count: Int32, _: Int32, _ addresses: UnsafeMutableRawPointer?,
    _ context: UnsafeMutableRawPointer?
) {
    guard let context = unsafe context else { return }
    let question = unsafe Unmanaged<Question>.fromOpaque(context).takeUnretainedValue()
    var found: [IPAddress] = []
    if code == DNS_ERR_NONE, let addresses = unsafe addresses {
        for index in 0..<Int(count) {
            // SAFETY: evdns lends `count` addresses of 16 or 4 bytes, as `kind` says.
            let address =
                unsafe Int32(kind) == DNS_IPv6_AAAA
                ? attache_address_from_in6(addresses.assumingMemoryBound(to: in6_addr.self) + index)
                : attache_address_from_in(addresses.assumingMemoryBound(to: in_addr.self)[index])
            let ip = IPAddress(address)
            if !found.contains(ip) { found.append(ip) }
        }
    }
    question.answered(code, found)
}
