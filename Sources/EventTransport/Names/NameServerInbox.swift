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
