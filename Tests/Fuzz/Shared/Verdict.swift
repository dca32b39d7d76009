@testable import HTTPWire

/// What a parser says of some bytes.
enum Verdict<Head: Equatable>: Equatable {
    case needsMore
    case refused(MessageError)
    case accepted(Head, byteCount: Int)

    /// Requires that pieces give what the whole gives: nothing before the head's end or the fault, and the same after.
    ///
    /// - Parameters:
    ///   - bytes: The whole input.
    ///   - limits: Those that the parser was given.
    ///   - parse: Gives the verdict on some bytes.
    /// - Returns: The verdict on the whole.
    static func requireSameInPieces(_ bytes: [UInt8], limits: HeadLimits, parse: ([UInt8]) -> Self) -> Self {
        let whole = parse(bytes)
        // Byte by byte once; with other limits a sample tells enough, in a fraction of the time.
        let places = cuts(of: bytes, every: limits.headBytes == HeadLimits().headBytes ? 256 : 32)
        var scanner = HeadScanner(limits: limits)
        var last = Self.needsMore
        for place in places {
            let part = Array(bytes[..<place])
            let verdict = place == bytes.count ? whole : parse(part)
            switch last {
            case .needsMore: break
            case .refused, .accepted: require(verdict == last, "more bytes change a verdict: \(last) to \(verdict)")
            }
            last = verdict
            if case .accepted(_, let byteCount) = verdict {
                require(byteCount <= place, "a head ends behind the bytes")
            }
            let isTime = scanner.scan(part.span)
            if case .accepted = verdict { require(isTime, "the scanner misses the end of a head") }
            if isTime { require(verdict != .needsMore, "the scanner wants a head parsed that is not whole") }
        }
        if case .accepted(_, let byteCount) = whole {
            require(parse(Array(bytes[..<(byteCount - 1)])) == .needsMore, "a head is accepted before its end")
            require(parse(Array(bytes[..<byteCount])) == whole, "a head depends on the bytes behind it")
        }
        return whole
    }
}

extension HeadLimits {
    /// Those of the product, and others that a short input can break.
    static let tried = [HeadLimits(), HeadLimits(headBytes: 1024, fieldCount: 4)]
}
