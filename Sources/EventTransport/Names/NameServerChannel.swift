import CAres

// SAFETY: the channel is made in init and destroyed in deinit, after which c-ares no longer uses the inbox and the
// sockets that were lent to it; both are freed after that.
/// The questions of one look-up to the name servers: c-ares on the events of the loop.
///
/// Confined to the loop's thread. c-ares 1.18 sends all questions of a channel from one port and can cancel them only
/// together, so each look-up has its own channel. Its release cancels unanswered questions.
@safe
final class NameServerChannel {
    /// The largest datagram, chosen so that no network on the way fragments it (DNS flag day 2020).
    private static let datagramSize: Int32 = 1232

    /// Initialised once for the process; the standard library ensures that only one thread does it.
    private static let isLibraryReady = ares_library_init(ARES_LIB_INIT_ALL) == ARES_SUCCESS

    private let channel: OpaquePointer
    private let sockets: UnsafeMutablePointer<attache_ares_sockets>
    private let inbox: NameServerInbox
    private let answered: () -> Void
    private var retry: Timer?

    /// Makes a channel; nil if no memory is left.
    ///
    /// - Parameters:
    ///   - servers: At least one server; they are asked in this order.
    ///   - configuration: How long and how often they are asked.
    ///   - loop: A loop that outlives the channel.
    ///   - answered: Called in `ask`, or in a callback of the loop, whenever `takeAnswers()` has something.
    init?(
        servers: [SocketAddress], configuration: ResolverConfiguration, loop: EventLoop, answered: @escaping () -> Void
    ) {
        guard Self.isLibraryReady else { return nil }
        let inbox = NameServerInbox(loop)
        let sockets = UnsafeMutablePointer<attache_ares_sockets>.allocate(capacity: 1)
        let scope = servers.first { $0.ip.scope != 0 }?.ip.scope ?? 0
        unsafe sockets.initialize(to: attache_ares_sockets(failure: 0, scope: scope))
        let timeout = configuration.timeout / .milliseconds(1)
        var made: OpaquePointer?
        let status = unsafe attache_ares_make(
            &made, Int32(timeout), Int32(configuration.attempts), Self.datagramSize, socketChanged,
            Unmanaged.passUnretained(inbox).toOpaque(), sockets)
        let list = servers.map(\.description).joined(separator: ",")
        guard status == ARES_SUCCESS, let channel = unsafe made,
            unsafe ares_set_servers_ports_csv(channel, list) == ARES_SUCCESS
        else {
            if let made = unsafe made { unsafe ares_destroy(made) }
            unsafe sockets.deallocate()
            return nil
        }
        self.inbox = inbox
        self.answered = answered
        unsafe self.sockets = sockets
        unsafe self.channel = channel
        retry = Timer(loop: loop) { [unowned self] in process(readable: nil, writable: nil) }
        inbox.ready = { [unowned self] in process(readable: $0, writable: $1) }
    }

    deinit {
        // c-ares reports unanswered questions to the inbox, which no one reads any more.
        unsafe ares_destroy(channel)
        unsafe sockets.deallocate()
    }

    /// Asks for each kind of address of a name, with an id that cannot be guessed.
    ///
    /// An extended question (EDNS, RFC 6891) allows answers of more than 512 bytes.
    func ask(_ name: String, _ kinds: [AddressKind], isExtended: Bool) {
        for kind in kinds {
            var query: UnsafeMutablePointer<UInt8>?
            var count: Int32 = 0
            // c-ares draws its own ids from rand() if it cannot read /dev/urandom.
            let status = unsafe ares_create_query(
                name, 1, kind.rawValue, UInt16.random(in: .min ... .max), 1, &query, &count,
                isExtended ? Self.datagramSize : 0)
            guard status == ARES_SUCCESS, let query = unsafe query else {
                // c-ares does not send names below .onion (RFC 7686).
                inbox.append(kind, status == ARES_ENOTFOUND ? .noSuchName : .badName)
                continue
            }
            // SAFETY: c-ares copies the query, and calls back no later than in deinit, when the inbox still exists.
            let context = unsafe Unmanaged.passUnretained(inbox).toOpaque()
            switch kind {
            case .v4: unsafe ares_send(channel, query, count, questionV4Ended, context)
            case .v6: unsafe ares_send(channel, query, count, questionV6Ended, context)
            }
            unsafe ares_free_string(query)
        }
        settle()
    }

    func takeAnswers() -> [NameServerInbox.Answer] { inbox.take() }

    /// The errno of the last socket; 0 if it could be opened.
    var socketFailure: Int32 { unsafe sockets.pointee.failure }

    private func process(readable: Int32?, writable: Int32?) {
        unsafe ares_process_fd(channel, readable ?? -1, writable ?? -1)
        settle()
    }

    /// Delivers answers only when c-ares is off the stack, because the receiver may release the channel.
    private func settle() {
        let delay = unsafe attache_ares_timeout(channel)
        if delay < 0 { retry?.cancel() } else { retry?.schedule(after: .milliseconds(delay)) }
        if !inbox.isEmpty { answered() }
    }
}

// SAFETY: `context` is the channel's inbox, which outlives the channel; the bytes are lent for the call.
private func questionV4Ended(
    _ context: UnsafeMutableRawPointer?, _ status: Int32, _ timeouts: Int32, _ bytes: UnsafeMutablePointer<UInt8>?,
    _ count: Int32
) {
    guard let context = unsafe context else { return }
    let reply = unsafe NameServerReply(status, UnsafeBufferPointer(start: bytes, count: Int(count)), .v4)
    unsafe Unmanaged<NameServerInbox>.fromOpaque(context).takeUnretainedValue()
        .append(.v4, reply, timeouts: Int(timeouts))
}

// SAFETY: `context` is the channel's inbox, which outlives the channel; the bytes are lent for the call.
private func questionV6Ended(
    _ context: UnsafeMutableRawPointer?, _ status: Int32, _ timeouts: Int32, _ bytes: UnsafeMutablePointer<UInt8>?,
    _ count: Int32
) {
    guard let context = unsafe context else { return }
    let reply = unsafe NameServerReply(status, UnsafeBufferPointer(start: bytes, count: Int(count)), .v6)
    unsafe Unmanaged<NameServerInbox>.fromOpaque(context).takeUnretainedValue()
        .append(.v6, reply, timeouts: Int(timeouts))
}

// SAFETY: `context` is the channel's inbox, which outlives the channel.
private func socketChanged(_ context: UnsafeMutableRawPointer?, _ socket: Int32, _ reads: Int32, _ writes: Int32) {
    guard let context = unsafe context else { return }
    unsafe Unmanaged<NameServerInbox>.fromOpaque(context).takeUnretainedValue()
        .watch(socket, reads: reads != 0, writes: writes != 0)
}

/// The receiver of a channel's callbacks from c-ares: it takes answers and watches the channel's sockets.
///
/// Confined to the loop's thread. c-ares calls it in the middle of its work, so it only records what happened.
final class NameServerInbox {
    struct Answer {
        let kind: AddressKind
        let reply: NameServerReply
        /// How many tries timed out.
        let timeouts: Int
    }

    /// Called in a callback of the loop with the sockets that are ready.
    var ready: ((_ readable: Int32?, _ writable: Int32?) -> Void)?
    private unowned let loop: EventLoop
    private var answers: [Answer] = []
    private var watches: [Int32: [ReadinessWatch]] = [:]

    init(_ loop: EventLoop) { self.loop = loop }

    deinit { for watch in watches.values.joined() { watch.end() } }

    var isEmpty: Bool { answers.isEmpty }

    func append(_ kind: AddressKind, _ reply: NameServerReply, timeouts: Int = 0) {
        answers.append(Answer(kind: kind, reply: reply, timeouts: timeouts))
    }

    func take() -> [Answer] {
        defer { answers = [] }
        return answers
    }

    /// Starts or stops watching a socket; c-ares calls this before it closes the socket.
    func watch(_ socket: Int32, reads: Bool, writes: Bool) {
        for watch in watches.removeValue(forKey: socket) ?? [] { watch.end() }
        var wanted: [ReadinessWatch] = []
        if reads {
            wanted.append(
                ReadinessWatch(loop: loop, descriptor: socket, Event.read) { [unowned self] in ready?(socket, nil) })
        }
        if writes {
            wanted.append(
                ReadinessWatch(loop: loop, descriptor: socket, Event.write) { [unowned self] in ready?(nil, socket) })
        }
        for watch in wanted { watch.start() }
        if !wanted.isEmpty { watches[socket] = wanted }
    }
}
