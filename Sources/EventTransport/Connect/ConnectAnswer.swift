/// The answer of a parent proxy to a CONNECT, as far as it has arrived (RFC 9110 section 9.3.6).
enum ConnectAnswer: Equatable {
    case incomplete
    /// The tunnel begins behind this many bytes.
    case opened(end: Int)
    case refused(status: Int)
    /// It is not an answer in HTTP/1.
    case unreadable

    /// The largest answer in bytes; more is no answer to a CONNECT.
    private static let limit = 16 * 1024
    private static let start = Array("HTTP/1.".utf8)

    /// Whether the proxy could not do what was asked, unlike one that forbids it or has found a circle (508).
    var isOfBrokenProxy: Bool {
        switch self {
        case .opened, .refused(508): false
        case .refused(let status): (500..<600).contains(status)
        // The proxy closed the connection before its answer was whole.
        case .incomplete, .unreadable: true
        }
    }

    /// Reads an answer, behind any number of interim ones.
    ///
    /// - Parameters:
    ///   - bytes: All that has arrived.
    ///   - known: How much of it an earlier look has found incomplete.
    init(_ bytes: [UInt8], known: Int = 0) {
        var rest = bytes[...]
        // A proxy that sends single bytes must not make each of them cost a look at all.
        guard Self.endOfHead(bytes[max(0, known - 3)...]) != nil else {
            self = Self.unfinished(rest, of: bytes.count)
            return
        }
        while let end = Self.endOfHead(rest) {
            guard let status = Self.status(rest) else {
                self = .unreadable
                return
            }
            // A 2xx has no body, whatever its fields say (RFC 9112 section 6.3).
            switch status {
            case 100, 102...199: rest = rest[end...]
            case 200...299:
                self = .opened(end: end)
                return
            default:
                self = .refused(status: status)
                return
            }
        }
        self = Self.unfinished(rest, of: bytes.count)
    }

    /// What an answer is whose last head has begun with these bytes.
    private static func unfinished(_ head: ArraySlice<UInt8>, of count: Int) -> ConnectAnswer {
        let isPossible = zip(head, start).allSatisfy { $0 == $1 }
        return isPossible && count <= limit ? .incomplete : .unreadable
    }

    /// The index behind the empty line that ends the first head.
    private static func endOfHead(_ bytes: ArraySlice<UInt8>) -> Int? {
        var index = bytes.startIndex + 3
        while index < bytes.endIndex {
            if bytes[index] == 0x0a, bytes[index - 1] == 0x0d, bytes[index - 2] == 0x0a, bytes[index - 3] == 0x0d {
                return index + 1
            }
            index += 1
        }
        return nil
    }

    /// The status of `HTTP/1.1 200 …`.
    private static func status(_ bytes: ArraySlice<UInt8>) -> Int? {
        guard bytes.starts(with: start) else { return nil }
        let rest = bytes.dropFirst(start.count).prefix(6)
        guard rest.count == 6, let minor = rest.first, isDigit(minor), rest.dropFirst().first == 0x20,
            rest.dropFirst(2).prefix(3).allSatisfy(isDigit), let end = rest.last, end == 0x20 || end == 0x0d
        else { return nil }
        return rest.dropFirst(2).prefix(3).reduce(0) { $0 * 10 + Int($1 - 0x30) }
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }
}
