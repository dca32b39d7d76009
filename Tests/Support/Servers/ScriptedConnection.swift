/// One connection accepted by a `ScriptedServer`, as its script sees it.
///
/// Belongs to the thread that runs the script.
package final class ScriptedConnection {
    /// The count of connections accepted before this one.
    package let number: Int
    package let socket: BlockingSocket
    private let reader: MessageReader
    private let journal: Monitor<ScriptedServer.Journal>

    init(number: Int, socket: BlockingSocket, journal: Monitor<ScriptedServer.Journal>) {
        self.number = number
        self.socket = socket
        self.journal = journal
        reader = MessageReader(socket)
    }

    /// The next request with its body, written to the journal when it is whole; nil at the peer's end.
    package func request() throws -> ReceivedRequest? {
        guard var request = try head() else { return nil }
        let body = try reader.body(request.framing)
        request.body = body.content
        journal.access { $0.requests.append(request) }
        return request
    }

    /// The next request's head, written to the journal of heads; its body is left to be read.
    package func head() throws -> ReceivedRequest? {
        guard let head = try reader.head() else { return nil }
        let request = ReceivedRequest(head: head, connection: number)
        journal.access { $0.heads.append(request) }
        return request
    }

    /// The body of a request of which only the head was read.
    package func body(of request: ReceivedRequest) throws -> [UInt8] {
        try reader.body(request.framing).content
    }

    package func receive(exactly count: Int) throws -> [UInt8] {
        try reader.exactly(count)
    }

    package func receiveSome(atMost limit: Int = 65536) throws -> [UInt8] {
        try reader.some(atMost: limit)
    }

    /// Everything up to the peer's end, orderly or not.
    @discardableResult
    package func receiveUntilEnd() -> [UInt8] {
        do {
            return try reader.untilEnd()
        } catch {
            return reader.unread
        }
    }

    package func send(_ text: String) throws {
        try socket.send(Array(text.utf8))
    }

    package func send(_ bytes: [UInt8]) throws {
        try socket.send(bytes)
    }

    /// Sends until all is gone or the peer has read nothing for `stall`; returns the count of bytes that it took.
    package func push(_ bytes: [UInt8], untilStalledFor stall: Duration) throws -> Int {
        var sent = 0
        while sent < bytes.count {
            let count = try socket.sendSome(bytes[sent...])
            sent += count
            if count == 0, !socket.canSend(within: stall) { return sent }
        }
        return sent
    }

    package func reset() {
        socket.reset()
    }
}
