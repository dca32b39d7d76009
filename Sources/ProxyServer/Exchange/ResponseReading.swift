import HTTPWire
import ProxyCore

/// Which part of one exchange's response is read next.
///
/// It writes nothing: the owner reports what arrives, and performs what is returned. The owner also has the body's
/// decoder, because each event moves the whole machine.
enum ResponseReading: ~Copyable {
    /// The final response on its way to the app.
    struct Body {
        let status: Int
        /// Whether each connection can be used after it.
        let end: ConnectionReuse
    }

    // Classes, because each event moves the whole machine, and few responses need them.

    /// The beginning of a head.
    final class PartialHead {
        fileprivate var bytes: [UInt8] = []
        fileprivate var scanner: HeadScanner

        fileprivate init(_ bytes: Span<UInt8>, limits: HeadLimits) {
            scanner = HeadScanner(limits: limits)
            self.bytes.append(copying: bytes)
        }
    }

    /// A response that may refuse the credential.
    final class Suspect {
        fileprivate var bytes: [UInt8]
        fileprivate var search: RefusalSearch

        fileprivate init(_ bytes: [UInt8], _ search: RefusalSearch) {
            self.bytes = bytes
            self.search = search
        }
    }

    /// No byte has arrived since the request was sent. Left with the first byte.
    case nothing
    /// A head is next. Left with a final head, or with the beginning of a head.
    case head
    /// The beginning of a head, whose end is looked for. Left with that end.
    case partialHead(PartialHead)
    /// The final response, held back from its head on until its body shows whether it refuses the credential. Left when the
    /// body has shown that, or when the response is taken.
    case suspected(Suspect)
    /// The final response, held back from its head on. Left when it is taken or discarded.
    case heldBack([UInt8])
    /// The final response goes to the app. Left for the next exchange only.
    case body(Body)

    /// Whether any byte of a response has arrived.
    var hasReceived: Bool {
        switch self {
        case .nothing: false
        case .head: true
        case .partialHead: true
        case .suspected: true
        case .heldBack: true
        case .body: true
        }
    }

    /// The status of the final response; nil before it has begun.
    var status: Int? {
        switch self {
        case .nothing: nil
        case .head: nil
        case .partialHead: nil
        case .suspected: nil
        case .heldBack: nil
        case .body(let body): body.status
        }
    }

    /// The status of the response that is held back; nil if none is.
    var heldStatus: Int? {
        switch self {
        case .nothing: nil
        case .head: nil
        case .partialHead: nil
        case .suspected(let suspect): Self.status(of: suspect.bytes)
        case .heldBack(let held): Self.status(of: held)
        case .body: nil
        }
    }

    /// The status in the bytes of a response whose head was read, behind `HTTP/1.1` and a space.
    private static func status(of response: [UInt8]) -> Int {
        response[9..<12].reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) }
    }

    /// Another exchange begins.
    mutating func reset() {
        switch consume self {
        case .nothing: self = .nothing
        case .head: self = .nothing
        case .partialHead: self = .nothing
        case .suspected: self = .nothing
        case .heldBack: self = .nothing
        case .body: self = .nothing
        }
    }

    // MARK: - Bytes

    enum ReceivedAction: Equatable {
        /// Read heads, and the body after the final one, from the bytes that arrived.
        case readHeads
        /// Read them from these bytes, which end with those that arrived.
        case readKept([UInt8])
        case readBody
        /// Report this: nothing has to be read.
        case report(ResponseProgress)
    }

    /// Bytes arrived from the backend.
    @inline(__always)
    mutating func received(_ bytes: Span<UInt8>) -> ReceivedAction {
        switch consume self {
        case .nothing:
            self = .head
            return .readHeads
        case .head:
            self = .head
            return .readHeads
        case .partialHead(let partial):
            partial.bytes.append(copying: bytes)
            let kept = partial.bytes
            guard partial.scanner.scan(kept.span) else {
                self = .partialHead(partial)
                return .report(.incomplete)
            }
            self = .head
            return .readKept(kept)
        case .suspected(let suspect):
            suspect.bytes.append(copying: bytes)
            switch suspect.search.look(at: bytes) {
            case .undecided:
                self = .suspected(suspect)
                return .report(.refusalSuspected)
            case .found:
                self = .heldBack(suspect.bytes)
                return .report(.credentialRefused)
            case .absent:
                self = .heldBack(suspect.bytes)
                return .report(.refusalUnfounded)
            }
        case .heldBack: preconditionFailure("a response was read that is held back")
        case .body(let body):
            self = .body(body)
            return .readBody
        }
    }

    // MARK: - Heads

    /// The beginning of a head arrived without its end.
    mutating func headBegan(_ bytes: Span<UInt8>, limits: HeadLimits) {
        switch consume self {
        case .head: self = .partialHead(PartialHead(bytes, limits: limits))
        case .nothing: preconditionFailure("a head began before any byte arrived")
        case .partialHead: preconditionFailure("a head began inside another")
        case .suspected: preconditionFailure("a head began after a response that is held back")
        case .heldBack: preconditionFailure("a head began after a response that is held back")
        case .body: preconditionFailure("a head began after the final one")
        }
    }

    /// The final head arrived, and the response goes to the app.
    mutating func bodyBegan(_ body: Body) {
        switch consume self {
        case .head: self = .body(body)
        case .nothing: preconditionFailure("a response began before any byte arrived")
        case .partialHead: preconditionFailure("a response began before the end of its head arrived")
        case .suspected: preconditionFailure("a response began that is held back")
        case .heldBack: preconditionFailure("a response began that is held back")
        case .body: preconditionFailure("two final responses came within one exchange")
        }
    }

    /// The final head arrived, and the response is held back.
    ///
    /// - Parameters:
    ///   - bytes: The response so far, from its head on.
    ///   - search: Decides by the body whether the response refuses the credential; nil if the head has decided.
    mutating func wasHeldBack(_ bytes: Span<UInt8>, until search: RefusalSearch?) {
        switch consume self {
        case .head:
            var held: [UInt8] = []
            held.append(copying: bytes)
            self = if let search { .suspected(Suspect(held, search)) } else { .heldBack(held) }
        case .nothing: preconditionFailure("a response was held back before any byte arrived")
        case .partialHead: preconditionFailure("a response was held back before the end of its head arrived")
        case .suspected: preconditionFailure("a response was held back twice")
        case .heldBack: preconditionFailure("a response was held back twice")
        case .body: preconditionFailure("a response was held back that has begun")
        }
    }

    // MARK: - A response that is held back

    /// The most bytes to which a response that is held back may grow.
    ///
    /// Reading is paused after the first read of a refusal. More bytes arrive only from a connection that can no
    /// longer be written to, and nothing else bounds them.
    private static let heldLimit = 65_536

    /// More of the response arrived.
    ///
    /// - Returns: false if it exceeds the limit, so that the response can never be complete.
    mutating func keep(_ bytes: Span<UInt8>) -> Bool {
        var held = take()
        let isTaken = held.count + bytes.count <= Self.heldLimit
        if isTaken { held.append(copying: bytes) }
        self = .heldBack(held)
        return isTaken
    }

    /// Hands over the response that was held back, whose head is read again.
    mutating func take() -> [UInt8] {
        switch consume self {
        case .suspected(let suspect):
            self = .head
            return suspect.bytes
        case .heldBack(let held):
            self = .head
            return held
        case .nothing: preconditionFailure("no response is held back")
        case .head: preconditionFailure("no response is held back")
        case .partialHead: preconditionFailure("no response is held back")
        case .body: preconditionFailure("a response has begun that is held back")
        }
    }

    /// The request is sent again, and its response comes from another connection.
    mutating func forget() {
        _ = take()
        self = .nothing
    }

    // MARK: - The body

    enum BodyAction: Equatable {
        /// Write this piece of the bytes.
        case write(Range<Int>)
        /// Write this piece, which completes the response.
        case writeLast(Range<Int>, ConnectionReuse)
        /// Write the end of the body, which completes the response.
        case writeEnd(ConnectionReuse)
        /// The response is complete.
        case end(ConnectionReuse)
        /// All bytes are read, and more must arrive.
        case awaitMore
    }

    /// Reads the next piece of the body from `bytes`, and moves `offset` past it.
    @inline(__always)
    func nextPiece(
        in bytes: Span<UInt8>, at offset: inout Int, by decoder: inout BodyDecoder
    ) throws(MessageError) -> BodyAction {
        switch self {
        case .body(let body):
            guard !decoder.isComplete else { return .end(body.end) }
            switch try decoder.next(in: bytes, at: &offset) {
            case .data(let range): return decoder.isComplete ? .writeLast(range, body.end) : .write(range)
            case .end: return .writeEnd(body.end)
            case .needMore: return .awaitMore
            }
        case .nothing: preconditionFailure("a body was read before its head arrived")
        case .head: preconditionFailure("a body was read before its head arrived")
        case .partialHead: preconditionFailure("a body was read before its head arrived")
        case .suspected: preconditionFailure("a body was read that is held back")
        case .heldBack: preconditionFailure("a body was read that is held back")
        }
    }

    /// The backend closed its side.
    ///
    /// - Returns: Whether each connection can be used, if the close ends the response.
    func backendClosed(in decoder: inout BodyDecoder) throws(MessageError) -> ConnectionReuse {
        switch self {
        case .body(let body):
            try decoder.peerClosed()
            var end = body.end
            end.upstreamReusable = false
            return end
        case .nothing: throw .bodyCutShort
        case .head: throw .bodyCutShort
        case .partialHead: throw .bodyCutShort
        case .suspected: throw .bodyCutShort
        case .heldBack: throw .bodyCutShort
        }
    }
}
