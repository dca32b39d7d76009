/// Reads messages from a source that blocks, strictly as far as tests need it, and independent of the proxy's own parser.
///
/// Belongs to the thread that reads the source.
package final class MessageReader {
    /// The stream ended inside a message; what had come of it is in `partial`.
    package struct CutShort: Error, CustomStringConvertible {
        package let partial: [UInt8]

        package init(partial: [UInt8]) {
            self.partial = partial
        }

        package var description: String { "the stream ended inside a message after \(partial.count) bytes" }
    }

    private let receive: () throws -> [UInt8]
    private var buffer: [UInt8] = []
    private var offset = 0

    package convenience init(_ socket: BlockingSocket) {
        self.init { try socket.receive() }
    }

    /// Reads what `receive` gives, which is empty at the end of the stream.
    package init(receive: @escaping () throws -> [UInt8]) {
        self.receive = receive
    }

    /// Received and not yet taken.
    package var unread: [UInt8] { Array(buffer[offset...]) }

    /// The next head with its final empty line; nil if the stream ends before its first byte.
    package func head() throws -> [UInt8]? {
        var head: [UInt8] = []
        while true {
            guard let line = try line() else {
                if head.isEmpty { return nil }
                throw CutShort(partial: head)
            }
            head += line
            if line == [13, 10], head.count > 2 { return head }
        }
    }

    /// The body of that framing: its content, and the bytes as they came.
    package func body(_ framing: ReceivedFraming) throws -> (content: [UInt8], raw: [UInt8]) {
        switch framing {
        case .none: return ([], [])
        case .length(let count):
            let bytes = try exactly(count)
            return (bytes, bytes)
        case .untilClose:
            let bytes = try untilEnd()
            return (bytes, bytes)
        case .chunked: return try chunks()
        }
    }

    /// Exactly so many bytes.
    package func exactly(_ count: Int) throws -> [UInt8] {
        while buffer.count - offset < count {
            guard try fill() else { throw CutShort(partial: unread) }
        }
        return take(count)
    }

    /// Everything up to the peer's orderly end; a reset is thrown.
    package func untilEnd() throws -> [UInt8] {
        while try fill() {}
        return take(buffer.count - offset)
    }

    /// Everything received so far, as soon as `condition` holds for it.
    package func until(_ condition: ([UInt8]) -> Bool) throws -> [UInt8] {
        while !condition(unread) {
            guard try fill() else { throw CutShort(partial: unread) }
        }
        return take(buffer.count - offset)
    }

    /// What comes next, at most so many bytes; empty at the end.
    package func some(atMost limit: Int) throws -> [UInt8] {
        if offset == buffer.count, try !fill() { return [] }
        return take(min(limit, buffer.count - offset))
    }

    private func chunks() throws -> (content: [UInt8], raw: [UInt8]) {
        var content: [UInt8] = []
        var raw: [UInt8] = []
        while true {
            guard let sizeLine = try line() else { throw CutShort(partial: content) }
            raw += sizeLine
            let digits = String(decoding: sizeLine, as: UTF8.self).prefix { $0.isHexDigit }
            guard let size = Int(digits, radix: 16) else { throw CutShort(partial: content) }
            if size == 0 { break }
            let chunk: [UInt8]
            do {
                chunk = try exactly(size + 2)
            } catch let cut as CutShort {
                throw CutShort(partial: content + cut.partial)
            }
            raw += chunk
            content += chunk.dropLast(2)
        }
        while true {
            guard let trailer = try line() else { throw CutShort(partial: content) }
            raw += trailer
            if trailer == [13, 10] { return (content, raw) }
        }
    }

    private func line() throws -> [UInt8]? {
        var searched = offset
        while true {
            if let end = buffer[searched...].firstIndex(of: 10) { return take(end + 1 - offset) }
            searched = buffer.count - offset
            guard try fill() else {
                if buffer.count == offset { return nil }
                throw CutShort(partial: unread)
            }
            searched += offset
        }
    }

    private func take(_ count: Int) -> [UInt8] {
        let bytes = Array(buffer[offset..<offset + count])
        offset += count
        if offset == buffer.count {
            buffer.removeAll(keepingCapacity: true)
            offset = 0
        }
        return bytes
    }

    private func fill() throws -> Bool {
        let bytes = try receive()
        if offset > 0 {
            buffer.removeFirst(offset)
            offset = 0
        }
        buffer += bytes
        return !bytes.isEmpty
    }
}
