/// A client that sends exactly the bytes it is told to, and says exactly what came back.
///
/// Belongs to one thread, which blocks in it.
package final class RawClient {
    package let socket: BlockingSocket
    private let reader: MessageReader

    package init(port: UInt16, receiveBuffer: Int32? = nil) throws {
        socket = try BlockingSocket(port: port, receiveBuffer: receiveBuffer)
        reader = MessageReader(socket)
    }

    /// Connects to a Unix socket: a path, or `@` and an abstract name.
    package init(path: String) throws {
        socket = try BlockingSocket(path: path)
        reader = MessageReader(socket)
    }

    /// The client's own port.
    package var port: UInt16 { socket.port }

    package func send(_ text: String) throws {
        try socket.send(Array(text.utf8))
    }

    package func send(_ bytes: [UInt8]) throws {
        try socket.send(bytes)
    }

    /// The next response, interim or final, with its body.
    package func response(to method: String = "GET") throws -> ReceivedResponse {
        var response = try responseHead(to: method)
        let body = try reader.body(response.framing)
        response.body = body.content
        response.raw += body.raw
        return response
    }

    /// The next response's head; its body is left to be read in pieces.
    package func responseHead(to method: String = "GET") throws -> ReceivedResponse {
        guard let head = try reader.head() else { throw MessageReader.CutShort(partial: []) }
        return ReceivedResponse(head: head, answering: method)
    }

    /// The content of a response of which only the head was read.
    package func body(of response: ReceivedResponse) throws -> [UInt8] {
        try reader.body(response.framing).content
    }

    /// Sends the text and reads one response.
    package func exchange(_ request: String, method: String = "GET") throws -> ReceivedResponse {
        try send(request)
        return try response(to: method)
    }

    /// Sends a request without a body in absolute-form and reads the answer; `fields` are whole lines with their CRLF.
    package func get(_ url: String, fields: String = "", method: String = "GET") throws -> ReceivedResponse {
        try exchange("\(method) \(url) HTTP/1.1\r\nHost: ignored.example\r\n\(fields)\r\n", method: method)
    }

    package func receive(exactly count: Int) throws -> [UInt8] {
        try reader.exactly(count)
    }

    package func receive(until condition: ([UInt8]) -> Bool) throws -> [UInt8] {
        try reader.until(condition)
    }

    package func receiveSome(atMost limit: Int = 65536) throws -> [UInt8] {
        try reader.some(atMost: limit)
    }

    /// Everything up to the proxy's orderly end.
    package func receiveUntilEnd() throws -> [UInt8] {
        try reader.untilEnd()
    }

    /// Whether the stream ends here, by an orderly end or a reset, with no byte more.
    package func endsNow() throws -> Bool {
        do {
            return try reader.untilEnd().isEmpty
        } catch SocketError.reset {
            return reader.unread.isEmpty
        }
    }

    package func endWriting() {
        socket.endWriting()
    }

    package func reset() {
        socket.reset()
    }

    package func close() {
        socket.close()
    }
}
